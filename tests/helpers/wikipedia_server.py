"""A wiki on loopback that answers in the documented forms of the Action API and the REST API, with its faults."""

import json
from urllib.parse import parse_qs, unquote, urlsplit

from loopback import LoopbackHandler, LoopbackServer

PAGE = (
    '<!DOCTYPE html><html about="http://x/wiki/Special:Redirect/revision/77" lang="en"><head><title>{0}</title>'
    '<meta property="dc:modified" content="2024-05-06T07:08:09.000Z"/></head>'
    '<body lang="en"><section data-mw-section-id="0"><p>The article on {0}, long enough.</p></section></body></html>'
)

DISCONNECT, CUT = "disconnect", "cut"


class Wiki(LoopbackServer):
    """``pages``: title → namespace; ``faults``: answers given before the right one, in their order.

    ``faults_at``: number of the request, from 1 → the answer given instead; DISCONNECT and CUT end the connection
    before and within an answer.
    """

    def __init__(self):
        self.pages, self.redirects, self.links, self.members = {}, {}, {}, {}
        self.disambiguations, self.broken, self.faults, self.log, self.agents = set(), set(), [], [], set()
        self.faults_at, self.rights = {}, {}
        super().__init__(_Handler)
        self.host = self.url

    def answer(self, path):
        parts = urlsplit(path)
        if parts.path.startswith("/w/rest.php/v1/page/"):
            title = unquote(parts.path.split("/")[5]).replace("_", " ")
            if title in self.broken or title not in self.pages:
                return 404, {}, b"{}"
            headers = {"ETag": '"77/abc"', "Content-Type": "text/html; charset=utf-8"}
            return 200, headers, PAGE.format(title).encode()
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        return 200, {"Content-Type": "application/json"}, json.dumps(self.query(query)).encode()

    def query(self, query):
        if query.get("list") == "categorymembers":
            return self.part(
                query, self.members[query["cmtitle"]], "cmcontinue", lambda found: {"categorymembers": found}
            )
        if query.get("prop") == "links":
            title = query["titles"]
            shape = lambda found: {"pages": {"5": {"pageid": 5, "ns": 0, "title": title, "links": found}}}  # noqa: E731
            return self.part(query, self.links.get(title, []), "plcontinue", shape)
        pages, redirects = [], []
        asked_for = query["titles"].split("|")
        if len(asked_for) > 50:
            return {"error": {"code": "toomanyvalues", "info": "50 titles at most"}}
        start = int(query.get("ppcontinue", 0))
        more = {"continue": {"ppcontinue": str(start + 3), "continue": "||info"}} if start + 3 < len(asked_for) else {}
        for asked in asked_for[start : start + 3]:
            title = self.redirects.get(asked, asked)
            if title != asked:
                redirects.append({"from": asked, "to": title})
            page = {
                "title": title,
                "ns": self.pages.get(title, 0),
                "fullurl": f"{self.host}/wiki/{title.replace(' ', '_')}",
            }
            if title not in self.pages:
                page["missing"] = True
            else:
                page.update(pageid=5, lastrevid=77)
            if title in self.disambiguations:
                page["pageprops"] = {"disambiguation": ""}
            pages.append(page)
        return {
            "batchcomplete": not more,
            "query": {"redirects": redirects, "pages": pages} | self._rights(query),
        } | more

    def _rights(self, query):
        asked = query.get("meta") == "siteinfo" and query.get("siprop") == "rightsinfo"
        return {"rightsinfo": self.rights} if asked and self.rights else {}

    def part(self, query, titles, name, shape):
        """Two titles an answer, then ``continue``."""
        start = int(query.get(name, 0))
        found = [{"ns": self.pages.get(t, 0), "title": t, "pageid": 9} for t in titles[start : start + 2]]
        answer = {"query": shape(found)}
        if start + 2 < len(titles):
            answer["continue"] = {name: str(start + 2), "continue": "-||"}
        return answer


class _Handler(LoopbackHandler):
    def do_GET(self):
        wiki = self.owner
        wiki.log.append(self.path)
        wiki.agents.add(self.headers["User-Agent"])
        fault = wiki.faults.pop(0) if wiki.faults else wiki.faults_at.get(len(wiki.log))
        if fault == DISCONNECT:
            self.close_connection = True
            return
        status, headers, body = fault if fault and fault != CUT else wiki.answer(self.path)
        self.answer(status, body, {} if fault == CUT else headers, part=len(body) // 2 if fault == CUT else None)
