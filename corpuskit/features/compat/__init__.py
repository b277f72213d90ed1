"""Feature group compat: files and commands of the systems that corpuskit re-creates."""

from corpuskit.plugins import FeatureGroup

GROUP = FeatureGroup(
    name="compat",
    packages=("corpuskit.features.compat", "corpuskit.compat"),
    accessors={"compat": "corpuskit.features.compat.accessor:CompatAccessor"},
    old_names={name: f"compat.{name}" for name in ("drop_textworks", "export_requests")},
    modules={
        "corpuskit.cli": ("corpuskit.features.compat.commands",),
        "corpuskit.export.formats": (
            "corpuskit.compat.formats.frenchtext", "corpuskit.compat.formats.pdf_trio", "corpuskit.compat.formats.textworks",
        ),
        "corpuskit.extraction": ("corpuskit.compat.textworks.extractor",),
    },
    hooks={
        "directory layout": "corpuskit.compat.directory_layouts",
        "read crawl configuration": "corpuskit.compat.legacy_config:read_legacy_config",
        "request log": "corpuskit.compat.request_log",
        "train pdf_trio": "corpuskit.compat.pdf_trio:train_pdf_trio",
    },
    moved={
        "corpuskit.crawl.read_legacy_config": "corpuskit.compat.legacy_config:read_legacy_config",
        "corpuskit.crawl.write_requests": "corpuskit.compat.request_log:write_requests",
        **{
            f"corpuskit.export.{name}": f"corpuskit.compat.formats.textworks:{name}"
            for name in ("Segmentation", "TextGrid", "read_segmentation", "read_textgrid")
        },
        **{
            f"corpuskit.relevance.{name}": f"corpuskit.compat.pdf_trio:{name}"
            for name in ("FastTextTest", "PdfTrioModel", "decode_confidence", "encode_confidence")
        },
    },
)  # fmt: skip
"""What compatibility adds to the core."""
