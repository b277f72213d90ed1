"""The accessor ``corpus.compat``: files of the systems that corpuskit re-creates."""

from __future__ import annotations

import os

from corpuskit.corpus.accessor import CorpusAccessor
from corpuskit.validation import check_output_file


class CompatAccessor(CorpusAccessor, attribute="compat"):
    """Files of the systems that corpuskit re-creates."""

    def export_requests(self, path: str | os.PathLike[str]) -> int:
        """Write ``requests.log.csv`` with the columns of the Language Resource Extractor.

        Args:
            path: File to write; an existing one is replaced.

        Returns:
            The number of rows written.

        Raises:
            SourceError: The path is a folder.

        Example:
            >>> corpus.compat.export_requests("requests.log.csv")
            65
        """
        from corpuskit.compat.request_log import write_requests

        return write_requests(self._folder.catalog, check_output_file(path))

    def drop_textworks(self) -> int:
        """Remove the TextWorks artifacts that corpuskit has written beside PDF files, and could write again.

        Those of other programs stay.

        Returns:
            The number of bytes freed.

        Example:
            >>> corpus.compat.drop_textworks()
            0
        """
        from corpuskit.compat.textworks import drop_artifacts

        return drop_artifacts(self._folder.originals)
