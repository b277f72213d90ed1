"""Topic of the steering benchmark: e-mail and chat.

Rare: about one page in thirty. A few small sites as a whole and thin corners of large ones; message queues and buses are near misses.
"""

import random

TOPIC = "e-mail and chat"
KEYWORDS = r"\b(mail|e-?mail|smtp|mailbox|chat)\b"
SEEDS = ["http://links.test/index.html", "http://glib.test/glib/index.html", "http://celery.test/index.html"]
# fmt: off
CAP = 400
CAPS = {"python": 450, "handbook": 350, "install": 170, "twisted": 420, "weechat": 20}
RELEVANT_FIRST = 20

SITES = {
    "glib": ("libglib2.0-doc", "usr/share/gtk-doc/html", ["glib/index.html", "gio/index.html", "gobject/index.html"]),
    "celery": ("python-celery-doc", "usr/share/doc/python-celery-doc/html", ["index.html"]),
    "python": ("python3.11-doc", "usr/share/doc/python3.11/html", ["index.html"]),
    "twisted": ("twisted-doc", "usr/share/doc/twisted-doc/html", ["index.html", "api/index.html", "api/moduleIndex.html"]),
    "openjdk": ("openjdk-17-doc", "usr/share/doc/openjdk-17-jre-headless", ["api/index.html", "api/java.base/module-summary.html", "api/java.naming/module-summary.html", "api/java.management/module-summary.html"]),
    "notmuch": ("notmuch-doc", "usr/share/doc/notmuch/html", ["index.html"]),
    "kombu": ("python-kombu-doc", "usr/share/doc/python-kombu-doc/html", ["index.html"]),
    "alot": ("alot-doc", "usr/share/doc/alot/html", ["index.html"]),
    "django": ("python-django-doc", "usr/share/doc/python-django-doc/html", ["index.html"]),
    "erlang": ("erlang-doc", "usr/share/doc/erlang-doc", ["doc/index.html", "doc/search.html"]),
    "aiosmtplib": ("python3-aiosmtplib-doc", "usr/share/doc/python3-aiosmtplib/html", ["index.html"]),
    "exim": ("exim4-doc-html", "usr/share/doc/exim4-doc-html/spec_html", ["index.html"]),
    "handbook": ("debian-handbook", "usr/share/doc/debian-handbook/html", ["en-US/index.html", "fr-FR/index.html", "de-DE/index.html", "es-ES/index.html"]),
    "nio": ("python3-matrix-nio-doc", "usr/share/doc/python3-matrix-nio-doc/html", ["index.html"]),
    "soup": ("libsoup-3.0-doc", "usr/share/doc/libsoup-3.0", ["index.html"]),
    "weechat": ("weechat-doc", "usr/share/doc/weechat-doc/html", ["weechat_user.en.html", "weechat_faq.en.html", "weechat_user.fr.html", "weechat_faq.fr.html", "weechat_quickstart.fr.html", "weechat_user.de.html", "weechat_faq.de.html"]),
    "qtmultimedia": ("qtmultimedia5-doc-html", "usr/share/qt5/doc/qtmultimedia", ["qtmultimedia-index.html"]),
    "boost": ("libboost1.74-doc", "usr/share/doc/libboost1.74-doc/doc/html", ["index.html"]),
    "debref-en": ("debian-reference-en", None, None),
    "debref-de": ("debian-reference-de", None, None),
    "cmake": ("cmake-doc", "usr/share/doc/cmake-data/html", ["index.html"]),
    "install": ("installation-guide-amd64", "usr/share/doc/installation-guide-amd64", ["en/index.html", "fr/index.html", "ja/index.html"]),
    "octave": ("octave-doc", "usr/share/doc/octave", ["octave.html/index.html"]),
    "sqlalchemy": ("python-sqlalchemy-doc", "usr/share/doc/python-sqlalchemy-doc/html", ["index.html"]),
    "libetpan": ("libetpan-doc", "usr/share/doc/libetpan-dev/API", ["book1.htm"]),
    "maxima": ("maxima-doc", "usr/share/doc/maxima-doc/html", ["maxima_toc.html", "maxima.html"]),
    "udisks": ("udisks2-doc", "usr/share/gtk-doc/html/udisks2", ["index.html"]),
    "swi": ("swi-prolog-doc", "usr/share/swi-prolog/doc/Manual", ["index.html", "Contents.html"]),
    "borg": ("borgbackup-doc", "usr/share/doc/borgbackup/html", ["index.html"]),
    "snakemake": ("snakemake-doc", "usr/share/doc/snakemake/html", ["index.html"]),
    "sympy": ("python-sympy-doc", "usr/share/doc/python-sympy-doc/html", ["index.html"]),
    "lirc": ("lirc-doc", "usr/share/doc/lirc/lirc.org", ["index.html", "html/index.html", "api-docs/html/index.html"]),
    "torrent": ("libtorrent-rasterbar-doc", "usr/share/doc/libtorrent-rasterbar-doc/html", ["index.html"]),
    "flask": ("python-flask-doc", "usr/share/doc/python-flask-doc/html", ["index.html"]),
    "scons": ("scons-doc", "usr/share/doc/scons/HTML", None),
    "rproject": ("r-doc-html", "usr/share/R/doc/manual", None),
    "zsh": ("zsh-doc", "usr/share/doc/zsh-common/html", ["index.html"]),
    "ffmpeg": ("ffmpeg-doc", "usr/share/doc/ffmpeg", ["manual/ffmpeg.html", "api/index.html"]),
}
# fmt: on

RELEVANT_SITES = ["notmuch", "alot", "aiosmtplib", "exim", "nio", "weechat", "libetpan"]
RULES = {
    "notmuch": [(r"/(genindex|search|index)\.html", None)],
    "alot": [
        (r"/(genindex|py-modindex|search)\.html", 0),
        (r"/(installation|index|api/index|configuration/index|usage/index)\.html", None),
    ],
    "aiosmtplib": [(r"/(genindex|py-modindex|search)\.html|_modules/index", 0)],
    "exim": [
        (
            r"/ch-(concept_index|options_index|variables_index|regular_expressions|embedded_perl|string_expansions)",
            None,
        ),
        (r"/(ix|index-\w+|ch-building_and_installing\w*)\.html", None),
    ],
    "libetpan": [
        (r"/(c13|c16|x161|x229|x295|x318|x88)\.htm", None)
    ],  # its introduction and its lists, buffers, strings
    "nio": [(r"/(genindex|py-modindex|search)\.html|_modules/(index|dataclasses)", 0), (r"/contributing", None)],
    "weechat": [(r"relay_protocol|plugin_api|scripting|_dev\.", None)],
    "python": [
        (r"/library/(email[\w.-]*|smtplib|smtpd|imaplib|poplib|mailbox|mailcap|nntplib)\.html", 1),
        (r"/library/(netdata|quopri|uu|mimetypes|asynchat|asyncore|netrc|base64|internet)\.html", None),
    ],
    "django": [
        (r"/topics/email|/_modules/django/core/mail", 1),
        (r"/internals/mailing-lists|/howto/error-reporting|/ref/contrib/messages", None),
    ],
    "twisted": [
        (
            r"/api/twisted\.(mail|words)\.|/api/twisted\.(mail|words)\.html|/mail/|/words/|/api/twisted\.plugins\.twisted_(mail|words)",
            1,
        ),
        (r"/api/twisted\.(news|cred)|/names/", None),
    ],
    "handbook": [
        (r"/sect\.(rtc-services|rtc-clients|main-desktop-tools)\.html", 1),
        (r"/(network-services|unix-services)\.html", None),
    ],
    "debref-en": [(r"/ch06", None)],
    "debref-de": [(r"/ch06", None)],
    "celery": [(r"/_modules/celery/utils/.*mail|mail", None)],
    "erlang": [(r"/(sasl|xmpp)", 0)],
    "install": [(r"/ch08s04\.html", 1), (r"/ch08\.html", None)],
}

EXTERNAL = [
    (r"(docs|www)\.python\.org", "python"),
    (r"docs\.djangoproject\.com", "django"),
    (r"(docs\.)?celery(project|q)?\.(org|dev)|docs\.celeryproject\.org", "celery"),
    (r"docs\.sqlalchemy\.org|www\.sqlalchemy\.org", "sqlalchemy"),
    (r"docs\.oracle\.com", "openjdk"),
    (r"cmake\.org", "cmake"),
    (r"(www\.)?erlang\.org", "erlang"),
    (r"developer\.gnome\.org", "glib"),
    (r"twisted(matrix)?\.(com|org)", "twisted"),
    (r"notmuchmail\.org", "notmuch"),
]

THEMES = {
    "letters": ["notmuch", "alot", "exim", "libetpan", "aiosmtplib", "weechat", "nio"],
    "queues": ["celery", "kombu", "erlang", "twisted", "flask", "soup"],
    "desktop": ["glib", "qtmultimedia", "udisks", "soup", "lirc", "ffmpeg"],
    "debian": ["handbook", "install", "debref-en", "debref-de", "zsh"],
    "science": ["octave", "sympy", "maxima", "rproject", "snakemake", "swi"],
    "building": ["cmake", "scons", "boost", "openjdk"],
    "python": ["python", "django", "sqlalchemy", "celery", "flask", "sympy"],
    "storage": ["borg", "torrent", "udisks", "sqlalchemy"],
}
HUBS = {
    "seed": 23,
    "directory": {
        "host": "links",
        "title": "Links",
        "home": "Collected links",
        "pages_per_theme": 5,
        "links": 25,
        "on_theme": 0.5,
    },
    "blog": {
        "host": "notebook",
        "title": "Note",
        "archive": "All notes",
        "name": "Notebook",
        "posts": 400,
        "links": (2, 7),
        "on_theme": 0.6,
    },
    "traps": [
        ("Week planner", "http://planner.test/?week=2024-20", 6),
        ("Archive of the mailing list", "http://lists.test/users/2019-05/msg00001.html", 5),
    ],
}

ROBOTS = "User-agent: *\nDisallow: /genindex\nDisallow: /_sources/\n"
ROBOTS_OF = {
    "lists": "User-agent: *\nDisallow: /admin/\n",
    "alot": "User-agent: *\nCrawl-delay: 1\n",
    "celery": "User-agent: *\nDisallow: /_modules/\nDisallow: /history/\n",
    "kombu": "User-agent: *\nDisallow: /*/kombu.asynchronous\n",
    "notmuch": "",
    "exim": "User-agent: *\nDisallow: /ix01.html\nDisallow: /*index$\n",
}
SITEMAPS = ["glib", "celery", "notmuch", "install"]


def planner(path, query):
    """An endless planner of weeks: each leads to its days and to the weeks around it."""
    value = dict(part.partition("=")[::2] for part in query.split("&"))
    year, week = (int(part) for part in value.get("week", "").split("-"))
    if not 1 <= week <= 52:
        raise ValueError(week)
    links = [(f"/?week={year + step}-{week}", f"{year + step}") for step in (-1, 1)]
    links += [(f"/?week={year}-{other:02d}", f"week {other}") for other in range(1, 53) if other != week]
    links += [(f"/?week={year}-{week:02d}&day={day}", day) for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")]
    return f"Week {week} of {year}", "Nothing planned " + value.get("day", "this week"), links


def lists(path, query):
    """An endless mailing-list archive, in the words of the topic, about nothing: threads, replies, months, authors go round for ever."""
    _, name, month, message = path.removesuffix(".html").split("/")
    year, month = (int(part) for part in month.split("-"))
    number = int(message.removeprefix("msg"))
    draw = random.Random(f"{year} {month} {number}")
    subjects = [
        "mail not delivered",
        "SMTP server does not answer",
        "how to read my mailbox",
        "chat client stops",
        "IMAP folders are empty",
        "unsubscribe me please",
        "spam in the inbox",
        "attachment missing",
    ]
    people = ["Anna", "Ben", "Carla", "David", "Emil", "Frida"]
    subject = f"{draw.choice(['', 'Re: ', 'Re: Re: '])}{draw.choice(subjects)}"
    text = f"From: {draw.choice(people)}. Subject: {subject}. " + " ".join(
        f"Hello, {draw.choice(subjects)}. Please reply by e-mail to the list. " for _ in range(5)
    )
    links = [
        (f"/{name}/{year}-{month:02d}/msg{number + step:05d}.html", text_)
        for step, text_ in ((1, "next message"), (2, "thread next"))
    ]
    links += [
        (f"/{name}/{year + step}-{month:02d}/msg{draw.randrange(1, 400):05d}.html", f"mail of {year + step}")
        for step in (-1, 1)
    ]
    links += [
        (
            f"/{name}/{year}-{draw.randrange(1, 13):02d}/msg{draw.randrange(1, 99999):05d}.html",
            f"Re: {draw.choice(subjects)}",
        )
        for _ in range(5)
    ]
    return subject, text, links


# host -> function(path, query) giving (title, text, [(href, link text)]); ValueError or IndexError = 404
TRAPS = {"planner": planner, "lists": lists}
