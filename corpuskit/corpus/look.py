"""What is in a corpus: frames of documents and elements, sub-corpora, single documents, the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpuskit import engine
from corpuskit.corpus.base import OpenCorpus
from corpuskit.document.frames import in_types
from corpuskit.store.document_names import doc_id_of

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.extraction.original import Original
    from corpuskit.extraction.pdf.picture import PagePicture
    from corpuskit.widgets.tree import DocumentTree


class CorpusLook(OpenCorpus):
    """What is in a corpus: frames of documents and elements, sub-corpora, single documents, the browser."""

    def documents(self, docs: Any = None, *, versions: bool = False, arrow: bool = False) -> pd.DataFrame:
        """One row a document; see :func:`corpuskit.views.frames.documents`. ``arrow``: with columns of ArrowDtype.

        The last column is topic (Int32): that of :meth:`topics`, once they were asked for; missing for documents that came since.
        """
        from corpuskit.vectors import topic_column
        from corpuskit.views import frames

        found = frames.documents(self._folder, self._ids(docs), versions=versions)
        found["topic"] = topic_column(self._folder, found["doc_id"].tolist())
        return in_types(found, arrow)

    def elements(
        self,
        docs: Any = None,
        *,
        text: bool = True,
        arrow: bool = False,
        languages: bool = False,
        frequencies: bool = False,
        formatting: bool = False,
    ) -> pd.DataFrame:
        """One row an element; see :func:`corpuskit.views.frames.elements`."""
        from corpuskit.views import frames

        more = {"languages": languages, "frequencies": frequencies, "formatting": formatting}
        return frames.elements(self._folder, self._ids(docs), text=text, arrow=arrow, **more)

    def find(self, pattern: str | None = None, *, docs: Any = None, **conditions: Any) -> pd.DataFrame:
        """The elements whose text matches, of a type, role, language or length; see :func:`corpuskit.views.search.find`.

        Example: ``corpus.find("premium", types="TextBlock", lang=["en", "?"], min_words=5)``.
        """
        from corpuskit.views import search

        return search.find(self._folder, pattern, doc_ids=self._ids(docs), **conditions)

    def sample(self, n: int, *, seed: int = 0, docs: Any = None, arrow: bool = False) -> pd.DataFrame:
        """``n`` documents at random, the same ones for the same seed; see :func:`corpuskit.views.frames.sample`."""
        from corpuskit.views import frames

        return in_types(frames.sample(self._folder, n, seed=seed, doc_ids=self._ids(docs)), arrow)

    def save_subcorpus(self, name: str, docs: Any) -> int:
        """Gives documents a name; gives how many they are. An earlier list of this name is replaced."""
        from corpuskit.views import frames

        return frames.save_subcorpus(self._folder, name, self._ids(docs) or [])

    def subcorpus(self, name: str, *, arrow: bool = False) -> pd.DataFrame:
        """The documents of a name, as :meth:`documents` gives them.

        Raises:
            ConfigurationError: there is no such name.
        """
        from corpuskit.views import frames

        return in_types(frames.subcorpus(self._folder, name), arrow)

    def subcorpora(self) -> dict[str, int]:
        """The names given to documents, and how many each has."""
        from corpuskit.views import frames

        return frames.subcorpora(self._folder)

    def vocabulary(
        self, *, known: Any = None, min_count: int = 1, docs: Any = None, tags: Any = None, arrow: bool = False
    ) -> pd.DataFrame:
        """The words of the main content with hints at names and unknown words; see :func:`corpuskit.text.vocabulary`.

        Args:
            known: the words of a dictionary, in lower case.
            min_count: rarer words are left out.
            docs: only these documents; None for all.
            tags: name of a dictionary → word → its tags, such as ``corpuskit.text.read_tags`` reads.
            arrow: with Arrow types.
        """
        from corpuskit.preprocessing.reports import vocabulary

        found = self._ids(docs)
        return in_types(vocabulary(self._folder, known=known, min_count=min_count, tags=tags, doc_ids=found), arrow)

    def charset(self, *, by_site: bool = False, docs: Any = None, arrow: bool = False) -> pd.DataFrame:
        """The characters of the main content, with names and counts; see :func:`corpuskit.text.charset`."""
        from corpuskit.preprocessing.reports import charset

        return in_types(charset(self._folder, by_site=by_site, doc_ids=self._ids(docs)), arrow)

    def browse(self) -> Any:
        """The documents as a widget: filter them, see the query as code, open one as a tree, find more like it."""
        from corpuskit.widgets.browser import CorpusBrowser

        return CorpusBrowser(self._folder)

    def view(self, doc_id: str, *, reveal: int | None = None) -> DocumentTree:
        """A document as a tree, with its place in the original; j and f label it.

        Args:
            doc_id: which document, by id, URI or file name.
            reveal: the element_id to open at.

        Raises:
            UnknownDocumentError: there is none.
        """
        from corpuskit.widgets.documents import document_tree

        return document_tree(self._folder, doc_id_of(self._folder, doc_id), reveal=reveal)

    def original(self, doc_id: str) -> Original:
        """What a document was extracted from, which opens in the library that its users know.

        Example:
            >>> original = corpus.original(doc_id)                                       # doctest: +SKIP
            >>> original.pdfplumber().pages[0].to_image().debug_tablefinder()            # doctest: +SKIP
            >>> [comment.text for comment in corpus.original(word_id).docx().comments]   # doctest: +SKIP

        Raises:
            UnknownDocumentError: there is no such document.
            CorpusError: its original is missing or damaged.
        """
        from corpuskit.extraction.original import Original

        doc_id = doc_id_of(self._folder, doc_id)
        content = self._folder.original(doc_id)
        row = self._folder.catalog.rows(
            "SELECT uri, host, media_type, charset, original, original_offset FROM documents WHERE doc_id = ? "
            "ORDER BY version DESC LIMIT 1",
            (doc_id,),
        )[0]
        path = self._folder.originals / row["original"] if row["original_offset"] is None else None
        options = self._folder.settings.extraction_for(row["host"])
        return Original(
            content, row["media_type"], row["uri"], charset=row["charset"], path=path, options=options
        )  # fmt: skip

    def page(self, doc_id: str, number: int) -> PagePicture:
        """A picture of a page of a PDF document with the boxes of its blocks, coloured by role; the first page is 1.

        Raises:
            UnknownDocumentError: there is no such document.
            ExtractionError: it is no PDF, or has no such page.
        """
        from corpuskit.extraction.pdf.picture import page_picture

        # In a worker: a hostile PDF can end the process that draws it.
        return engine.call(page_picture, self._folder.original(doc_id_of(self._folder, doc_id)), number)
