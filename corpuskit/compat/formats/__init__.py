"""Export formats of other systems: frenchtext, pdf_trio and TextWorks."""
