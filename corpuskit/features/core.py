"""What the core itself registers: accessors of ``Corpus``, earlier names of its methods, and hooks of lower layers."""

from corpuskit.plugins import FeatureGroup

_MOVED = {
    "labelling": (
        "disagreements", "export_fasttext", "import_labels", "labels_report", "next_to_label", "prelabel", "relevance_report",
    ),
    "maintenance": ("backup", "check", "extract_pending", "pack", "unpack"),
    "web": ("compare", "crawl_report", "export_queue", "export_seeds", "frontier", "requests", "set_source", "sources"),
}  # fmt: skip

GROUP = FeatureGroup(
    name="core",
    accessors={
        "labelling": "corpuskit.corpus.labelling:LabellingAccessor",
        "maintenance": "corpuskit.corpus.maintenance:MaintenanceAccessor",
        "subcorpora": "corpuskit.corpus.subcorpora:SubcorporaAccessor",
        "web": "corpuskit.corpus.web:WebAccessor",
    },
    old_names={
        **{name: f"{attribute}.{name}" for attribute, names in _MOVED.items() for name in names},
        "save_subcorpus": "subcorpora.save",
        "subcorpus": "subcorpora.documents",
        "write_seeds": "web.export_queue",
    },
    hooks={
        "NLPTextDocument.page": "corpuskit.corpus.page_image:draw_page",
        "NLPTextDocument.to": "corpuskit.export.render:render",
        "NLPTextDocument.view": "corpuskit.widgets.tree:DocumentTree",
        "CrawlJob.dashboard": "corpuskit.widgets.dashboard:CrawlDashboard",
        "CorpusAudit.label": "corpuskit.widgets.audit:AuditLabeler",
    },
)
"""What the core registers."""
