"""What objects of lower rooms offer and upper rooms do; each room is imported when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpuskit.from_above import does

if TYPE_CHECKING:
    import os

    from corpuskit.crawl import CrawlJob
    from corpuskit.document import NLPTextDocument
    from corpuskit.document.page_picture import PagePicture
    from corpuskit.relevance.auditing import CorpusAudit
    from corpuskit.store import CorpusFolder
    from corpuskit.widgets.audit import AuditLabeler
    from corpuskit.widgets.dashboard import CrawlDashboard
    from corpuskit.widgets.tree import DocumentTree


@does("NLPTextDocument.to")
def _to(document: NLPTextDocument, format: str | None, **how: Any) -> str:
    from corpuskit.export.one import render

    return render(document, format, **how)


@does("NLPTextDocument.view")
def _view(document: NLPTextDocument) -> DocumentTree:
    from corpuskit.widgets.tree import DocumentTree

    return DocumentTree(document)


@does("NLPTextDocument.page")
def _page(source: str | os.PathLike[str] | bytes | None, number: int, *, password: str | None) -> PagePicture:
    from corpuskit.extraction.pdf.picture import draw

    return draw(source, number, password=password)


@does("CrawlJob.dashboard")
def _dashboard(job: CrawlJob) -> CrawlDashboard:
    from corpuskit.widgets.dashboard import CrawlDashboard

    return CrawlDashboard(job)


@does("CorpusAudit.label")
def _label(folder: CorpusFolder, audit: CorpusAudit, **how: Any) -> AuditLabeler:
    from corpuskit.widgets.audit import AuditLabeler

    return AuditLabeler(folder, audit, **how)
