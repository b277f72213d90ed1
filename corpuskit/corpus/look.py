"""What is in a corpus: frames of documents and elements, sub-corpora, single documents, the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from corpuskit.corpus.base import OpenCorpus
from corpuskit.document.dataframes import convert_dtypes
from corpuskit.store.document_lookup import find_doc_id

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.document.page_picture import PagePicture
    from corpuskit.extraction.original import Original
    from corpuskit.widgets.tree import DocumentTree


class CorpusLook(OpenCorpus):
    """What is in a corpus: frames of documents and elements, sub-corpora, single documents, the browser."""

    def documents(self, docs: Any = None, *, versions: bool = False, arrow: bool = False) -> pd.DataFrame:
        """Return one row per document, sorted by host and URI.

        Args:
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus. None: all.
            versions: Return one row per version instead of the last one of each document.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns doc_id, uri, host, title, media_type, lang, status, decision (relevant, unknown or other), label, duplicate_of
            (str); version, annotators (Int32); words, main_words, elements (Int64); timestamp, fetched (datetime64, UTC);
            relevance, agreement (float64).

            ``label`` is derived from the labels of all ``annotators``; ``agreement`` by the rule in corpus.toml; ``agreement`` is the share
            with the most frequent label. ``decision`` is made by the last model with the threshold of its audit. ``duplicate_of``
            names the document with the same main text and the shortest URI, or else the one that the step
            ``duplicates`` of :meth:`preprocess` found.

            Metadata stated in the document: author, site_name, description, categories, tags, license, canonical, image (str);
            published, updated (datetime64, UTC). ``fingerprint`` (str, 16 hexadecimal digits) is equal for equal main texts, regardless of
            white space and case. ``topic`` (Int32) is the topic of ``corpus.vectors.topics()``, missing for later documents.

        Raises:
            UnknownDocumentError: A document of ``docs`` is not in the corpus.

        Example:
            >>> documents = corpus.documents()
            >>> documents.query("lang == 'fr'")[["title", "words"]].head(2)
                                            title  words
            1    Avis de sinistre : mode d'emploi    251
            3  Carnet de voyage : le canal à vélo    298
        """
        from corpuskit.hooks import hooks
        from corpuskit.views import frames

        frame = frames.documents(self._folder, self._ids(docs), versions=versions)
        for columns in hooks("document columns"):
            frame = frame.assign(**columns(self._folder, frame["doc_id"].tolist()))
        return convert_dtypes(frame, arrow)

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
        """Return one row an element, those of a document together and in order.

        Args:
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus. None: all.
            text: False leaves out the columns of strings (text, links, tex, locator), which takes a quarter of the memory.
            arrow: Return columns of pandas' ArrowDtype.
            languages: Detect the language of each element's own text, ``?`` when unsure. Else ``lang`` is the document's language.
            frequencies: Add frequency_in_site and frequency_in_corpus (int64): the number of documents of the host, and of the
                corpus, that have the element's text; 0 without words.
            formatting: Add the column formatting of :meth:`NLPTextDocument.to_frame`; the documents are read for it.

        Returns:
            Columns doc_id (category), those of :meth:`corpuskit.document.NLPTextDocument.to_frame`, lang (category), words (int32),
            title, uri (category, of the document) and unique (bool, whether no element above has this text).

        Raises:
            ConfigurationError: ``languages`` without ``text``.
            UnknownDocumentError: A document of ``docs`` is not in the corpus.

        Example:
            >>> elements = corpus.elements("files/claims-handbook.docx")
            >>> elements["type"].value_counts().head(3).to_dict()
            {'TextBlock': 38, 'TableCell': 17, 'ListItem': 13}
        """
        from corpuskit.views import frames

        more = {"languages": languages, "frequencies": frequencies, "formatting": formatting}
        return frames.elements(self._folder, self._ids(docs), text=text, arrow=arrow, **more)

    def find(self, pattern: str | None = None, *, docs: Any = None, **conditions: Any) -> pd.DataFrame:
        """Return the elements that meet all conditions.

        Other elements are not kept in memory, so this works on corpora that exceed it.

        Args:
            pattern: Regular expression that the text matches somewhere, case-insensitive, in the syntax of the package
                ``regex``: that of Python, with ``\\p{Greek}`` and other properties. Or a character by its number, such as ``U+00A0``.
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus. None: all.
            conditions: ``types`` (TextBlock, Section, List, NavigationList, ListItem, Table, TableHeader, TableCell), ``roles``
                (such as ``caption`` or ``code``), ``lang`` (ISO 639-1, or ``?``), each one name or several; ``main`` (True: main
                content, False: the rest); ``min_words``, ``max_words``; ``text`` and ``arrow`` as for :meth:`elements`.

        Returns:
            The columns of :meth:`elements`.

        Raises:
            ConfigurationError: A type is unknown, or the pattern is not a regular expression.
            UnknownDocumentError: A document of ``docs`` is not in the corpus.

        Example:
            >>> sorted(corpus.find(r"\\bexcess\\b", types="Section", main=True)["text"])[-2:]
            ['The excess', 'The excess, with worked examples']
        """
        from corpuskit.views import search

        return search.find(self._folder, pattern, doc_ids=self._ids(docs), **conditions)

    def sample(self, n: int, *, seed: int = 0, docs: Any = None, arrow: bool = False) -> pd.DataFrame:
        """Return documents drawn at random.

        The sample depends only on the ids and the seed: documents that are added later replace some of the sample and leave
        the others in it.

        Args:
            n: Number of documents; all if there are fewer.
            seed: Seed; the same seed selects the same documents.
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus. None: all.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            The columns of :meth:`documents`.

        Example:
            >>> sample = corpus.sample(5)
            >>> len(sample), sample["doc_id"].tolist() == corpus.sample(5)["doc_id"].tolist()
            (5, True)
        """
        from corpuskit.views import frames

        return convert_dtypes(frames.sample(self._folder, n, seed=seed, doc_ids=self._ids(docs)), arrow)

    def browse(self) -> Any:
        """Return the documents as a widget: filter them, see the query as code, open one as a tree, find more like it.

        Raises:
            MissingExtraError: The extra ``notebook`` is not installed.

        Example:
            >>> browser = corpus.browse()
        """
        from corpuskit.widgets.browser import CorpusBrowser

        return CorpusBrowser(self._folder)

    def view(self, doc_id: str, *, reveal: int | None = None) -> DocumentTree:
        """Return a document as a widget: its tree, with the place of each element in the original. j and f label it.

        Args:
            doc_id: Id, URI or file name of the document.
            reveal: Open at the element with this ``element_id``.

        Raises:
            UnknownDocumentError: There is no such document.
            ConfigurationError: It has no such element.
            MissingExtraError: The extra ``notebook`` is not installed.

        Example:
            >>> tree = corpus.view("claims-handbook.docx")
        """
        from corpuskit.widgets.documents import document_tree

        return document_tree(self._folder, find_doc_id(self._folder, doc_id), reveal=reveal)

    def original(self, doc_id: str) -> Original:
        """Return what a document was extracted from, to be opened in the library you know.

        Args:
            doc_id: Id, URI or file name of the document.

        Returns:
            A :class:`corpuskit.extraction.original.Original` with ``.bytes`` and ``.path``, and ``.lxml()``, ``.trafilatura()``,
            ``.pdfplumber()``, ``.pypdfium2()``, ``.docx()`` (python-docx) and ``.wikitext()``, each under the limits of
            corpus.toml.

        Raises:
            UnknownDocumentError: There is no such document.
            CorpusError: Its original is missing or damaged.

        Example:
            >>> with corpus.original("household-policy-booklet.pdf").pdfplumber() as pdf:
            ...     len(pdf.pages)
            2
            >>> len(corpus.original("claims-handbook.docx").docx().tables)
            1
        """
        from corpuskit.extraction.original import Original

        doc_id = find_doc_id(self._folder, doc_id)
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
        """Return a picture of a page of a PDF document, with the boxes of its blocks coloured by role.

        Args:
            doc_id: Id, URI or file name of the document.
            number: Number of the page; the first is 1.

        Returns:
            A :class:`corpuskit.document.page_picture.PagePicture`, which a notebook shows.

        Raises:
            UnknownDocumentError: There is no such document.
            ExtractionError: It is not a PDF, or has no such page.

        Example:
            >>> picture = corpus.page("household-policy-booklet.pdf", 1)
        """
        from corpuskit.corpus.page_image import draw_page

        return draw_page(self._folder.original(find_doc_id(self._folder, doc_id)), number)
