"""Topic of the steering benchmark: software packaging and version control.

Middling: about one page in eight. Two neighbouring subjects at once; building, continuous integration and backup are near misses.
"""

import random

TOPIC = "software packaging and version control"
KEYWORDS = r"\b(package|repository|git|commit|branch)\b"
SEEDS = ["http://portal.test/index.html", "http://buildbot.test/index.html", "http://debref-en.test/index.en.html"]
# fmt: off
CAP = 320
CAPS = {"breezy": 130, "svn": 90, "gbp": 80, "git2-glib": 90, "git": 150, "lintian": 60, "handbook": 360, "python": 420, "install": 180}
RELEVANT_FIRST = 25

SITES = {
    "buildbot": ("buildbot-doc", "usr/share/doc/buildbot/html", ["index.html"]),
    "debref-en": ("debian-reference-en", None, None),
    "debref-ja": ("debian-reference-ja", None, None),
    "handbook": ("debian-handbook", "usr/share/doc/debian-handbook/html", ["en-US/index.html", "fr-FR/index.html", "ja-JP/index.html"]),
    "python": ("python3.11-doc", "usr/share/doc/python3.11/html", ["index.html"]),
    "git": ("git-doc", "usr/share/doc/git-doc", ["index.html"]),
    "breezy": ("brz-doc", "usr/share/doc/brz/html", ["en/index.html", "developers/index.html"]),
    "svn": ("libsvn-doc", "usr/share/doc/libsvn-dev/html", ["index.html", "annotated.html", "files.html"]),
    "gbp": ("git-buildpackage", "usr/share/doc/git-buildpackage", ["manual-html/index.html", "apidocs/index.html"]),
    "git2-glib": ("libgit2-glib-1.0-doc", "usr/share/gtk-doc/html/libgit2-glib-1.0", ["index.html"]),
    "gitpython": ("python-git-doc", "usr/share/doc/python-git-doc/html", ["index.html"]),
    "pygit2": ("python-pygit2-doc", "usr/share/doc/python-pygit2-doc/html", ["index.html"]),
    "apt": ("apt-doc", "usr/share/doc/apt-doc", None),
    "libapt": ("libapt-pkg-doc", "usr/share/doc/libapt-pkg-doc", None),
    "python-apt": ("python-apt-doc", "usr/share/doc/python-apt-doc/html", ["index.html"]),
    "debmake": ("debmake-doc", "usr/share/doc/debmake-doc/html", ["index.en.html", "index.de.html", "index.ja.html"]),
    "ubuntu": ("ubuntu-packaging-guide-html", "usr/share/doc/ubuntu-packaging-guide-html", ["index.html"]),
    "policy": ("debian-policy", "usr/share/doc/debian-policy", ["policy.html/index.html", "perl-policy.html/index.html", "debconf_specification.html"]),
    "maint": ("maint-guide", "usr/share/doc/maint-guide/html", None),
    "devref": ("developers-reference", "usr/share/developers-reference", ["index.html"]),
    "setuptools": ("python-setuptools-doc", "usr/share/doc/python-setuptools-doc/html", ["index.html"]),
    "dput": ("dput-ng-doc", "usr/share/doc/dput-ng-doc/html", ["index.html"]),
    "packagekit": ("packagekit-docs", "usr/share/gtk-doc/html/PackageKit", ["index.html"]),
    "lintian": ("lintian", "usr/share/doc/lintian", ["api.html/index.html", "lintian.html"]),
    "faq-en": ("debian-faq", "usr/share/doc/debian/FAQ", ["index.en.html"]),
    "openjdk": ("openjdk-17-doc", "usr/share/doc/openjdk-17-jre-headless", ["api/index.html", "api/java.base/module-summary.html", "api/jdk.jpackage/module-summary.html", "api/java.xml/module-summary.html"]),
    "cmake": ("cmake-doc", "usr/share/doc/cmake-data/html", ["index.html"]),
    "scons": ("scons-doc", "usr/share/doc/scons/HTML", None),
    "ant": ("ant-doc", "usr/share/doc/ant", ["manual/index.html", "manual/tasklist.html", "api/overview-summary.html"]),
    "syn": ("cargo-doc", "usr/share/doc/cargo/doc", ["syn/index.html", "proc_macro2/index.html", "quote/index.html"]),
    "boost": ("libboost1.74-doc", "usr/share/doc/libboost1.74-doc/doc/html", ["index.html"]),
    "octave": ("octave-doc", "usr/share/doc/octave", ["octave.html/index.html"]),
    "gnuplot": ("gnuplot-doc", "usr/share/doc/gnuplot/htmldocs", ["index.html"]),
    "erlang": ("erlang-doc", "usr/share/doc/erlang-doc", ["doc/index.html"]),
    "postgresql": ("postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html", ["index.html"]),
    "varnish": ("varnish-doc", "usr/share/doc/varnish/html", ["index.html"]),
    "flask": ("python-flask-doc", "usr/share/doc/python-flask-doc/html", ["index.html"]),
    "celery": ("python-celery-doc", "usr/share/doc/python-celery-doc/html", ["index.html"]),
    "install": ("installation-guide-amd64", "usr/share/doc/installation-guide-amd64", ["en/index.html", "de/index.html", "es/index.html"]),
    "abs": ("abs-guide", "usr/share/doc/abs-guide/html", ["index.html"]),
    "zsh": ("zsh-doc", "usr/share/doc/zsh-common/html", ["index.html"]),
    "borg": ("borgbackup-doc", "usr/share/doc/borgbackup/html", ["index.html"]),
    "xen": ("xen-doc", "usr/share/doc/xen/html", ["index.html"]),
    "libvirt": ("libvirt-doc", "usr/share/doc/libvirt-doc/html", ["index.html", "docs.html"]),
    "slurm": ("slurm-wlm-doc", "usr/share/doc/slurm-wlm/html", ["overview.html", "documentation.html"]),
    "krb5": ("krb5-doc", "usr/share/doc/krb5-doc", ["index.html"]),
    "gimp-en": ("gimp-help-en", "usr/share/gimp/2.0/help/en", ["index.html"]),
}
# fmt: on

RELEVANT_SITES = [
    "git",
    "breezy",
    "svn",
    "gbp",
    "git2-glib",
    "gitpython",
    "pygit2",
    "apt",
    "libapt",
    "python-apt",
    "debmake",
    "ubuntu",
    "policy",
    "maint",
    "devref",
    "setuptools",
    "dput",
    "packagekit",
    "lintian",
]
RULES = {
    "git": [
        (
            r"/(index|git-sh-i18n\w*|git-web--browse|git-sh-setup|technical/(api-|racy|long|bitmap)[\w-]*)\.html|everyday$",
            None,
        )
    ],
    "breezy": [
        (r"/(genindex|search|index)\.html|/_static/", None),
        (
            r"/developers/(branding|documenting-changes|ec2|planned-\w+|ppa|releasing|profiling|testing|tracking-\w+|win32\w*|code-style|"
            r"xdg\w*|apport|cycle|lca-\w+|lca\w*|update|integration|feature-flags|configuration|config-rationale|container-format|index-plain|ui|HACKING)",
            None,
        ),
    ],
    "svn": [
        (
            r"/(annotated|classes|files|functions\w*|globals\w*|dir_\w+|hierarchy|namespace\w*|graph_legend|inherits|deprecated|todo|bug|pages|modules)\.html",
            None,
        ),
        (
            r"svn__(string|utf|error|time|user|xml|sorts|io|iter|hash|pools|nls|mergeinfo|md5|checksum|cmdline|opt|config|dso|ctype|base64|quoting|"
            r"dirent|path|auth|cache|compat|types|x509|base)[\w]*\.html|structsvn__(string|error|stream|auth|opt|config|cache|x509|checksum)\w*|svnxx",
            None,
        ),
    ],
    "gbp": [
        (
            r"/apidocs/(all-documents|classIndex|moduleIndex|nameIndex|undoccedSummary|undocced|index|apidocs/index|doctests\.\w+|tests\.[\w.]+)\.html",
            None,
        ),
        (r"/apidocs/gbp\.(log|errors|command_wrappers|config|format|tristate|notifications)", None),
    ],
    "git2-glib": [
        (r"/(callback|const|error|enum|flags|classes_hierarchy|index|func\.init|type_func\.Error)[\w.]*\.html", None)
    ],
    "gitpython": [(r"/(genindex|py-modindex|search|roadmap|changes)\.html", None)],
    "pygit2": [(r"/(genindex|search|development)\.html", None)],
    "python-apt": [(r"/(genindex|py-modindex|search|tutorials/contributing)\.html", None)],
    "policy": [
        (r"/(ch-opersys|ch-customized-programs|ap-license|genindex|search|fhs-3\.0|ch-embed|menu-\w+)", None),
    ],
    "setuptools": [
        (
            r"/(genindex|py-modindex|search|artwork|404|roadmap|python 2 sunset|releases|developer-guide)\.html|/development/",
            None,
        )
    ],
    "dput": [(r"/(genindex|py-modindex|search)\.html", None)],
    "packagekit": [
        (
            r"/(annotation-glossary|api-index[\w-]*|PackageKit-(Common|Enum|PkBitfield|PkDebug)\w*|tools-fileref|index)\.html",
            None,
        )
    ],
    "devref": [(r"/(search|l10n|beyond-pkging|developer-duties|scope)\.html", None)],
    "ubuntu": [(r"/(search|communication|kde|_static/translators)\.html", None)],
    "lintian": [
        (r"/(Lintian/(Util|IO|Deb822|Spelling|Output|Screen|Conf\w*|Path|Data|Relation)|Test)|/index\.html", None)
    ],
    "libapt": [(r"/method\.html", None)],
    "faq-en": [
        (r"/(pkg-basics|pkgtools|uptodate|ftparchives)", 1),
        (
            r"/(contributing|customizing|software|getting-debian|redistributing|compatibility|kernel|nextrelease|choosing)",
            None,
        ),
    ],
    "debref-en": [(r"/ch02", 1), (r"/ch1[02]", None)],
    "debref-ja": [(r"/ch02", 1), (r"/ch1[02]", None)],
    "handbook": [
        (
            r"/(packaging-system|apt|debian-packaging|sect\.(apt-\w+|binary-package\w*|package-meta-information|source-package-structure|"
            r"manipulating-packages-with-dpkg|coexistence-with-other-packaging-systems|package-authentication|searching-packages|regular-upgrades|"
            r"automatic-upgrades|dist-upgrade|building-first-package|becoming-package-maintainer|setup-apt-package-repository|rebuilding-package|packages-not-\w+))\.html",
            1,
        ),
        (
            r"/(sect\.(release-lifecycle|development|debian-internals|kernel-compilation|kernel-installation|follow-debian-news|contributing|role-of-distributions|"
            r"config-misc|automated-installation|why-debian\w*))\.html",
            None,
        ),
    ],
    "python": [
        (
            r"/(library/(distribution|distutils|ensurepip|venv|zipapp|importlib\.metadata)|installing/index|distributing/index|distutils/\w+|install/index|extending/building)\.html",
            1,
        ),
        (
            r"/(library/(importlib\.resources|pkgutil|site|zipimport|modules)|tutorial/(venv|modules)|using/(windows|unix|configure|mac))\b",
            None,
        ),
    ],
    "buildbot": [
        (
            r"(git|changesources?|chsrc|svn|mercurial|bzr|darcs|cvs|p4|repo|source_\w+|bb-chsrc|rpm|debian|deb_?lintian|pbuilder|mock)[\w-]*\.html",
            None,
        ),
    ],
    "openjdk": [(r"/jdk\.jpackage/|/jdk\.jartool/|/java/util/jar/", None)],
    "cmake": [
        (r"/(cpack_gen/|module/CPack|variable/CPACK_|manual/cpack)", 1),
        (
            r"FindGit|FindSubversion|FindCVS|FindHg|ExternalProject|FetchContent|CTEST_(GIT|SVN|HG|CVS|P4|BZR)|UPDATE_COMMAND|manual/ctest|/guide/tutorial/(Packaging|.*Install)|importing-exporting",
            None,
        ),
    ],
    "install": [(r"/(ch06s03|apds04|ch08)\.html", None)],
    "ant": [(r"(?i)(cvs|svn|starteam|clearcase|ccm|perforce|vss|pvcs|rpm|manifest|jar|/deb)[\w-]*\.html", None)],
    "scons": [(r"(?i)(subversion|cvs|rcs|sccs|package)", None)],
    "libvirt": [(r"/(submitting-patches|git|best-practices|contribute|committer)", None)],
    "postgresql": [(r"/(sourcerepo|git|extend-pgxs|extend-extensions|sql-createextension)", None)],
    "erlang": [(r"/(release_structure|appup|rel\.|relup|systools|release_handling|reltool)", None)],
}

EXTERNAL = [
    (r"(docs|www)\.python\.org", "python"),
    (r"git-scm\.com", "git"),
    (r"cmake\.org", "cmake"),
    (r"docs\.buildbot\.net", "buildbot"),
    (r"setuptools\.(readthedocs\.io|pypa\.io)", "setuptools"),
    (r"(www\.)?debian-handbook\.info", "handbook"),
    (r"www\.debian\.org/doc/debian-policy", "policy"),
    (r"www\.debian\.org/doc/(manuals/)?developers-reference", "devref"),
    (r"www\.debian\.org/doc/(manuals/)?maint-guide", "maint"),
    (r"(www\.)?postgresql\.org", "postgresql"),
    (r"(www\.)?erlang\.org", "erlang"),
    (r"(docs\.)?celeryproject\.org", "celery"),
    (r"(www\.)?varnish-cache\.org", "varnish"),
    (r"(www\.)?pygit2\.org", "pygit2"),
]

THEMES = {
    "history": ["git", "breezy", "svn", "git2-glib", "gitpython", "pygit2", "gbp"],
    "archives": ["apt", "libapt", "python-apt", "dput", "lintian", "packagekit", "setuptools"],
    "debian": [
        "debref-en",
        "debref-ja",
        "handbook",
        "policy",
        "maint",
        "devref",
        "install",
        "debmake",
        "ubuntu",
        "faq-en",
    ],
    "building": ["buildbot", "cmake", "scons", "ant", "syn", "boost"],
    "languages": ["python", "openjdk", "erlang", "abs", "zsh", "octave"],
    "servers": ["postgresql", "varnish", "flask", "celery", "krb5", "xen", "libvirt", "slurm", "borg"],
    "drawing": ["gimp-en", "gnuplot", "octave"],
}
HUBS = {
    "seed": 31,
    "directory": {
        "host": "portal",
        "title": "Portal",
        "home": "Portal of manuals",
        "pages_per_theme": 4,
        "links": 28,
        "on_theme": 0.6,
    },
    "blog": {
        "host": "gazette",
        "title": "Gazette no.",
        "archive": "Back issues",
        "name": "Gazette",
        "posts": 360,
        "links": (3, 9),
        "on_theme": 0.6,
    },
    "traps": [
        ("Dates of releases", "http://dates.test/2023/12.html", 7),
        ("Browse the repository", "http://mirror.test/browse/abiword/commit/1f00", 4),
    ],
}

ROBOTS = "User-agent: *\nDisallow: /genindex\nDisallow: /_sources/\nDisallow: /_static/\n"
ROBOTS_OF = {
    "dates": "User-agent: *\nAllow: /\n",
    "mirror": "User-agent: *\nDisallow: /raw/\nDisallow: /browse/*/blame/\n",
    "pygit2": "User-agent: *\nCrawl-delay: 1\n",
    "breezy": "User-agent: *\nDisallow: /en/release-notes/\nAllow: /en/release-notes/brz-3\n",
    "buildbot": "User-agent: *\nDisallow: /relnotes/\n",
    "apt": "",
}
SITEMAPS = ["buildbot", "git", "handbook", "postgresql", "setuptools"]


def dates(path, query):
    """An endless calendar of release dates."""
    year, month = path.removesuffix(".html").strip("/").split("/")[:2]
    serial = int(year) * 12 + int(month) - 1
    links = []
    for step in range(-6, 7):
        if step:
            y, m = divmod(serial + step, 12)
            links.append((f"/{y}/{m + 1:02d}.html", f"{y}-{m + 1:02d}"))
    links += [(f"/{int(year)}/{int(month):02d}.html?day={day}", f"day {day}") for day in range(1, 29)]
    return f"Dates {int(year)}-{int(month):02d}", "No dates are known yet. " + query.replace("=", " "), links


def mirror(path, query):
    """A repository browser over packages that do not exist: commits, parents, branches, logs and versions of packages without end."""
    _, browse, package, kind, key = path.split("/")
    if browse != "browse" or kind not in ("commit", "branch", "version"):
        raise ValueError(path)
    draw = random.Random(path)
    packages = ["abiword", "frodo", "libquux", "mousetrap", "nettool", "pyfrob", "teapot", "zebra-utils"]
    verbs = [
        "Fix the build of",
        "Merge branch for",
        "New upstream version of",
        "Update debian/control of",
        "Revert a commit in",
        "Tag a release of",
    ]
    text = " ".join(
        f"{draw.choice(verbs)} the package {draw.choice(packages)}: the repository was branched, the commit was merged and "
        f"the package was uploaded as version {draw.randrange(9)}.{draw.randrange(40)}-{draw.randrange(1, 9)}."
        for _ in range(8)
    )
    links = [
        (f"/browse/{package}/commit/{draw.randrange(16**10):010x}", f"{draw.choice(verbs)} {package}") for _ in range(6)
    ]
    links += [(f"/browse/{draw.choice(packages)}/branch/topic-{draw.randrange(9999)}", "git branch") for _ in range(2)]
    links += [
        (
            f"/browse/{draw.choice(packages)}/version/{draw.randrange(9)}.{draw.randrange(99)}-{draw.randrange(9)}",
            "package version",
        )
        for _ in range(3)
    ]
    return f"{draw.choice(verbs)} {package} ({kind} {key})", text, links


# host -> function(path, query) giving (title, text, [(href, link text)]); ValueError or IndexError = 404
TRAPS = {"dates": dates, "mirror": mirror}
