"""Topic of the steering benchmark: documentation in French, whatever its subject.

Common: about one page in four. The same manuals stand beside it in English, German, Spanish, Italian or Japanese, often on the same
site, and translations are not complete: some pages of a French manual are still in English.
"""

import random

TOPIC = "documentation in French"
KEYWORDS = r"\b(vous|avec|cette|être|fichier)\b"
SEEDS = ["http://annuaire.test/index.html", "http://httpd.test/en/index.html", "http://gimp-en.test/index.html"]
# fmt: off
CAP = 170
CAPS = {
    "handbook": 420, "httpd": 480, "install": 330, "securing": 270, "solfege": 240, "drgeo": 400, "gimpdoc": 300, "lilypond": 320,
    "lilypond-de": 180, "gimp-en": 190, "python": 250, "gosa": 125,
}
RELEVANT_FIRST = 0          # French pages do not jump the queue: a site of several languages keeps its own mix

SITES = {
    "httpd": ("apache2-doc", "usr/share/doc/apache2-doc/manual", ["en/index.html", "fr/index.html", "de/index.html"]),
    "gimp-en": ("gimp-help-en", "usr/share/gimp/2.0/help/en", ["index.html"]),
    "gimpdoc": ("gimp-help-fr", "usr/share/gimp/2.0/help/fr", ["index.html"]),
    "handbook": ("debian-handbook", "usr/share/doc/debian-handbook/html", ["en-US/index.html", "fr-FR/index.html", "de-DE/index.html", "es-ES/index.html"]),
    "python": ("python3.11-doc", "usr/share/doc/python3.11/html", ["index.html"]),
    "install": ("installation-guide-amd64", "usr/share/doc/installation-guide-amd64", ["en/index.html", "fr/index.html", "ja/index.html", "de/index.html"]),
    "securing": ("harden-doc", "usr/share/doc/harden-doc/html", ["en-US/index.html", "fr-FR/index.html", "es-ES/index.html"]),
    "solfege": ("solfege-doc", "usr/share/doc/solfege/help", ["C/index.html", "fr/index.html", "es/index.html", "de/index.html"]),
    "drgeo": ("drgeo-doc", "usr/share/drgeo/help", ["fr/contents.html", "es/contents.html", "it/contents.html", "nl/drgenius.html"]),
    "lilypond": ("lilypond-doc-html-fr", "usr/share/doc/lilypond/html/Documentation", ["web/index.fr.html", "notation/index.fr.html", "learning/index.fr.html", "usage/index.fr.html"]),
    "lilypond-de": ("lilypond-doc-html-de", "usr/share/doc/lilypond/html/Documentation", ["web/index.de.html", "notation/index.de.html", "learning/index.de.html", "usage/index.de.html"]),
    "aptitude": ("aptitude-doc-fr", "usr/share/doc/aptitude/html/fr", ["index.html"]),
    "aptitude-en": ("aptitude-doc-en", "usr/share/doc/aptitude/html/en", ["index.html"]),
    "aptitude-es": ("aptitude-doc-es", "usr/share/doc/aptitude/html/es", ["index.html"]),
    "debref-en": ("debian-reference-en", None, None),
    "debref-fr": ("debian-reference-fr", None, None),
    "debref-de": ("debian-reference-de", None, None),
    "debref-ja": ("debian-reference-ja", None, None),
    "maint": ("maint-guide", "usr/share/doc/maint-guide/html", None),
    "newmaint": ("maint-guide-fr", "usr/share/doc/maint-guide-fr/html", None),
    "devref": ("developers-reference", "usr/share/developers-reference", ["index.html"]),
    "devref-fr": ("developers-reference-fr", "usr/share/developers-reference/fr", ["index.html"]),
    "faq-en": ("debian-faq", "usr/share/doc/debian/FAQ", ["index.en.html"]),
    "faq-fr": ("debian-faq-fr", "usr/share/doc/debian/FAQ/fr", ["index.fr.html"]),
    "packaging": ("ubuntu-packaging-guide-html-fr", "usr/share/doc/ubuntu-packaging-guide-html-fr", ["index.html"]),
    "ubuntu": ("ubuntu-packaging-guide-html", "usr/share/doc/ubuntu-packaging-guide-html", ["index.html"]),
    "apt": ("apt-doc", "usr/share/doc/apt-doc", None),
    "history": ("debian-history", "usr/share/doc/debian-history/docs", ["index.en.html", "index.fr.html", "index.pt.html", "index.it.html"]),
    "gosa": ("gosa-help-fr", "usr/share/gosa/doc/core/fr/html", ["users/users.html", "groups/groups.html", "applications/applications.html", "conference/conference.html", "departments/departments.html", "blocklists/blocklists.html"]),
    "kicad": ("kicad-doc-fr", "usr/share/doc/kicad/help/fr", None),
    "amc": ("auto-multiple-choice-doc", "usr/share/doc/auto-multiple-choice/html", ["index.html", "auto-multiple-choice.fr/index.html", "auto-multiple-choice.en/index.html"]),
    "claws": ("claws-mail-doc", "usr/share/doc/claws-mail/manual", None),
    "sylpheed": ("sylpheed-doc", "usr/share/doc/sylpheed-doc/manual", ["en/sylpheed.html", "fr/sylpheed.html", "es/sylpheed.html"]),
    "weechat": ("weechat-doc", "usr/share/doc/weechat-doc/html", ["weechat_user.en.html", "weechat_faq.en.html", "weechat_user.fr.html", "weechat_faq.fr.html", "weechat_quickstart.fr.html", "weechat_dev.fr.html", "weechat_plugin_api.fr.html", "weechat_scripting.fr.html", "weechat_relay_protocol.fr.html", "weechat_user.de.html", "weechat_faq.de.html", "weechat_user.it.html", "weechat_user.pl.html"]),
    "edu-fr": ("debian-edu-doc-fr", "usr/share/doc/debian-edu-doc-fr", None),
    "linuxcnc-fr": ("linuxcnc-doc-fr", "usr/share/doc/linuxcnc", None),
    "lo-en": ("libreoffice-help-en-us", "usr/share/libreoffice/help", ["en-US/text/shared/05/new_help.html", "en-US/text/swriter/main0000.html"]),
    "lo-fr": ("libreoffice-help-fr", "usr/share/libreoffice/help", ["fr/text/shared/05/new_help.html", "fr/text/swriter/main0000.html"]),
    "cmake": ("cmake-doc", "usr/share/doc/cmake-data/html", ["index.html"]),
    "openjdk": ("openjdk-17-doc", "usr/share/doc/openjdk-17-jre-headless", ["api/index.html", "api/java.base/module-summary.html", "api/java.desktop/module-summary.html"]),
    "octave": ("octave-doc", "usr/share/doc/octave", ["octave.html/index.html"]),
    "giac": ("giac-doc", "usr/share/giac/doc", ["en/cascmd_en/index.html"]),
    "glib": ("libglib2.0-doc", "usr/share/gtk-doc/html", ["glib/index.html", "gio/index.html", "gobject/index.html"]),
    "boost": ("libboost1.74-doc", "usr/share/doc/libboost1.74-doc/doc/html", ["index.html"]),
}
# fmt: on

RELEVANT_SITES = [
    "gimpdoc",
    "lilypond",
    "aptitude",
    "debref-fr",
    "newmaint",
    "devref-fr",
    "faq-fr",
    "packaging",
    "gosa",
    "kicad",
    "edu-fr",
    "linuxcnc-fr",
    "lo-fr",
]

# Pages of a French manual that were not translated (0) or only in part, or that have no text (None): counted by their function words,
# then looked at.
RULES = {
    "handbook": [
        (
            r"^/fr-FR/("
            r"conclusion|sect\.apt-file|sect\.aptosid|sect\.config-printing|sect\.contributing|sect\.development|"
            r"sect\.devuan|sect\.dist-upgrade|sect\.doudoulinux|sect\.dynamic-routing|sect\.firewall-packet-filtering|"
            r"sect\.graphical-desktops|sect\.grml|sect\.kali|sect\.main-desktop-tools|sect\.office-suites|"
            r"sect\.pureos|sect\.raspbian|sect\.steamos|sect\.tails|sect\.web-browsers|sect\.why-debian-stable|"
            r"sect\.x509-cert"
            r")\.html$",
            0,
        ),
        (
            r"^/fr-FR/("
            r"apt|debian-packaging|existing-setup|foreword|installation|network-services|packaging-system|"
            r"sect\.acknowledgments|sect\.apparmor|sect\.apt-cache|sect\.apt-frontends|sect\.apt-get|"
            r"sect\.asynchronous-task-scheduling-anacron|sect\.automated-installation|sect\.automatic-upgrades|"
            r"sect\.building-first-package|sect\.common-procedures|sect\.config-bootloader|sect\.config-misc|"
            r"sect\.customizing-graphical-interface|sect\.debian-internals|sect\.dhcp|sect\.domain-name-servers|"
            r"sect\.filesystem-hierarchy|sect\.ftp-file-server|sect\.future-of-debian|sect\.future-of-this-book|"
            r"sect\.http-ftp-proxy|sect\.inetd|sect\.ipv6|sect\.kernel-compilation|sect\.kernel-installation|"
            r"sect\.knoppix|sect\.linux-mint|sect\.manipulating-packages-with-dpkg|sect\.monitoring|"
            r"sect\.other-security-considerations|sect\.package-authentication|sect\.package-meta-information|"
            r"sect\.quality-of-service|sect\.regular-upgrades|sect\.remote-login|sect\.rights-management|"
            r"sect\.rtc-services|sect\.searching-packages|sect\.shell-environment|sect\.source-package-structure|"
            r"sect\.supervision|sect\.task-scheduling-cron-atd|sect\.ubuntu|sect\.virtual-private-network|"
            r"sect\.virtualization|sect\.windows-emulation|sect\.windows-file-server-with-samba|the-debian-project|"
            r"unix-services|workstation"
            r")\.html$",
            None,
        ),
        (r"^/fr-FR/", 1),
    ],
    "httpd": [
        (r"^/fr/developer/(index)\.html$", 0),
        (r"^/fr/(license)\.html$", 0),
        (r"^/fr/platform/(ebcdic)\.html$", 0),
        (r"^/fr/", 1),
    ],
    "install": [
        (r"^/fr/(apes04)\.html$", None),
        (r"^/fr/", 1),
    ],
    "securing": [
        (r"^/fr-FR/(debian-sec-team-faq)\.html$", None),
        (r"^/fr-FR/", 1),
    ],
    "solfege": [
        (
            r"^/fr/("
            r"about-statistics|ch04s02|compareintervals-module|dictation-module|dictation|"
            r"ear-training-test-printout-editor|elembuilder-module|extending-solfege|gpl|harmonicinterval-module|"
            r"idbyname-chords|idbyname-module|idproperty-module|idtone-module|lesson-file-locations-details|"
            r"lesson-files|melodicinterval-module|midi-instrument-names|mpd-module|nameinterval-module|"
            r"online-resources|rhythm-module|rhythmdictation-module|rhythmdictation2-module|rhythmtapping-module|"
            r"rhythmtapping2-module|selecting-exercises|singanswer-module|singchord-module|singinterval-module|"
            r"tone-in-context|toneincontext-module|user-modules"
            r")\.html$",
            0,
        ),
        (
            r"^/fr/("
            r"chordvoicing-module|harmonicinterval|idbyname-cadences|identifybpm-module|idproperty|index|nameinterval|"
            r"preferences-window|profile-manager|rhythmtapping2|singinterval|solfege-intro|trainingset-editor|"
            r"twelvetone-module"
            r")\.html$",
            None,
        ),
        (r"^/fr/", 1),
    ],
    "drgeo": [
        (r"^/fr/(drgenius_2)\.html$", 0),
        (r"^/fr/", 1),
    ],
    "apt": [
        (r"^/\w+\.fr\.html", 1),
    ],
    "history": [
        (r"\.fr\.html$", 1),
    ],
    "amc": [
        (r"\.fr/", 1),
        (r"^/index\.html", None),
    ],
    "claws": [
        (r"^/fr/", 1),
    ],
    "sylpheed": [
        (r"^/fr/(sylpheed-19)\.html$", None),
        (r"^/fr/", 1),
    ],
    "weechat": [
        (r"\.fr\.html$", 1),
    ],
    "aptitude": [
        (
            r"^/("
            r"ld-idm1393|ld-idm1429|ld-idm1643|ld-idm1879|ld-idm2056|ld-idm2069|ld-idm2080|ld-idm2118|ld-idm2137|"
            r"ld-idm275|ld-idm298|ld-idm321|ld-idm336|ld-idm348|ld-idm364|ld-idm383|ld-idm402|ld-idm414|ld-idm447|"
            r"ld-idm474|ld-idm499|ld-idm513|ld-idm528|ld-idm549|ld-idm566|ld-idm590|ld-idm8013|ld-idm8026|ld-idm8042|"
            r"ld-idm8055|ld-idm8068|ld-idm8082|ld-idm8091"
            r")\.html$",
            None,
        ),
    ],
    "debref-fr": [
        (r"^/(ch07)\.fr\.html$", 0),
        (r"^/(ch03|ch08)\.fr\.html$", None),
    ],
    "edu-fr": [
        (r"^/(debian-edu-bookworm-manual)\.html$", None),
    ],
    "gimpdoc": [
        (
            r"^/("
            r"gimp-concepts-layer-modes|gimp-dashboard-dialog|gimp-edit-input-devices|gimp-file-export|"
            r"gimp-file-open-recent|gimp-help-keyboard-shortcuts|gimp-introduction-whats-new|"
            r"gimp-mypaint-brush-dialog|gimp-scripting|gimp-stuck-delete-cropped-pixels|gimp-stuck-drawable-invisible|"
            r"gimp-stuck-export-gif-colors-changed|gimp-stuck-general-guidelines|gimp-stuck-indexed-mode|"
            r"gimp-stuck-layer-group|gimp-stuck-layer-mask|gimp-stuck-missing-image-toolbar|"
            r"gimp-stuck-missing-tool-icons|gimp-stuck-missing-tool-options|gimp-stuck-no-alpha-channel|"
            r"gimp-stuck-not-responding|gimp-stuck-outside-layer|gimp-stuck-outside-selection|gimp-stuck-tool-opacity|"
            r"gimp-stuck-tool-transform|gimp-tool-foreground-select|gimp-tools-presets|gimp-using-external-programs|"
            r"gimp-using-getting-unstuck-export|gimp-using-getting-unstuck-gui|gimp-using-getting-unstuck|"
            r"gimp-using-paths-transforming|gimp-using-paths|gimp-view-flip-rotate|gimp-view-scroll-center|"
            r"gimp-view-show-canvas-boundary|install-script-fu|introduction|kinds-of-script-fu|"
            r"layer-mode-group-contrast|layer-mode-group-hsv|layer-mode-group-inversion|layer-mode-group-lch|legal"
            r")\.html$",
            0,
        ),
        (
            r"^/("
            r"common-script-fu-errors|customize-splashscreen|getting-started|gimp-channel-dialog|"
            r"gimp-concepts-script-fu|gimp-concepts-setup|gimp-dialogs-management|gimp-dialogs-misc|"
            r"gimp-edit-keyboard-shortcuts|gimp-edit-preferences|gimp-errors-dialog|gimp-export-dialog|"
            r"gimp-file-close|gimp-file-open|gimp-file-save|gimp-fire-up|gimp-getting-unstuck|gimp-image-combining|"
            r"gimp-images-out|gimp-layer-groups|gimp-pimping|gimp-quick-mask-toggle|gimp-save-dialog|"
            r"gimp-selection-fill|gimp-stuck-drawable-transparent|gimp-stuck-empty-clipboard|"
            r"gimp-stuck-hidden-selection|gimp-template-dialog|gimp-tool-crop|gimp-tool-gegl|gimp-tool-path|"
            r"gimp-tool-preset-editor-dialog|gimp-tools|gimp-tutorial-quickie-flip|gimp-tutorial-quickie-scale-print|"
            r"gimp-tutorial-straight-lines-examples|gimp-using-fileformats-opening|gimp-using-paths-and-svg|"
            r"gimp-using-paths-properties|layer-mode-group-darken|layer-mode-group-lighten|preface"
            r")\.html$",
            None,
        ),
    ],
    "gosa": [
        (r"^/applications/(node8)\.html$", 0),
        (r"^/blocklists/(node4)\.html$", 0),
        (r"^/conference/(node6)\.html$", 0),
        (r"^/departments/(node6)\.html$", 0),
        (r"^/groups/(node18)\.html$", 0),
        (r"^/users/(node42)\.html$", 0),
        (r"^/applications/(applications|node2|node5|node7)\.html$", None),
        (r"^/conference/(conference|node2|node5)\.html$", None),
        (r"^/departments/(departments|node2|node5)\.html$", None),
        (r"^/groups/(node17|node3|node4|node5|node6|node7|node8|node9)\.html$", None),
        (r"^/users/(node11|node12|node13|node14|node15|node16|node2|node29|node30)\.html$", None),
    ],
    "kicad": [
        (r"^/(eeschema|getting_started_in_kicad|kicad|pcbnew)\.html$", 0),
        (r"^/(pl_editor)\.html$", None),
    ],
    "lilypond": [
        (r"^/learning/(gnu-free-documentation-license)\.fr\.html$", 0),
        (r"^/web/(attic|fdl|google-summer-of-code|gpl|news)\.fr\.html$", 0),
        (
            r"^/notation/("
            r"available-music-functions|gnu-free-documentation-license|graphic|instrument-specific-markup"
            r")\.fr\.html$",
            None,
        ),
        (r"^/web/(all|publications)\.fr\.html$", None),
    ],
    "linuxcnc-fr": [
        (r"^/(gcode_fr)\.html$", 0),
    ],
    "packaging": [
        (r"^/(setting-up-sbuild|ubuntu-dev-tools)\.html$", 0),
        (r"^/(auto-pkg-test|chroots|fixing-a-bug|getting-set-up|index|kde)\.html$", None),
    ],
}

EXTERNAL = [
    (r"(docs|www)\.python\.org", "python"),
    (r"httpd\.apache\.org", "httpd"),
    (r"docs\.gimp\.org", "gimp-en"),
    (r"(www\.)?debian-handbook\.info", "handbook"),
    (r"www\.debian\.org/doc/(manuals/)?developers-reference", "devref"),
    (r"www\.debian\.org/doc/(manuals/)?maint-guide", "maint"),
    (r"www\.debian\.org/doc/(manuals/)?securing-debian-(howto|manual)", "securing"),
    (r"(www\.)?lilypond\.org", "lilypond"),
    (r"docs\.oracle\.com", "openjdk"),
    (r"cmake\.org", "cmake"),
]

THEMES = {
    "debian": [
        "handbook",
        "install",
        "debref-en",
        "debref-fr",
        "debref-de",
        "debref-ja",
        "faq-en",
        "faq-fr",
        "aptitude-en",
        "aptitude",
        "aptitude-es",
        "edu-fr",
        "history",
        "apt",
        "securing",
    ],
    "developers": ["maint", "newmaint", "devref", "devref-fr", "packaging", "ubuntu", "cmake", "boost"],
    "music": ["lilypond", "lilypond-de", "solfege"],
    "schools": ["drgeo", "amc", "giac", "octave", "edu-fr", "solfege"],
    "pictures": ["gimp-en", "gimpdoc", "kicad", "linuxcnc-fr"],
    "office": ["lo-en", "lo-fr", "claws", "sylpheed", "weechat", "gosa"],
    "programming": ["python", "openjdk", "glib", "boost", "octave", "cmake"],
    "web": ["httpd", "python", "gosa", "weechat"],
}
HUBS = {
    "seed": 47,
    "directory": {
        "host": "annuaire",
        "title": "Annuaire / Directory",
        "home": "Annuaire / Directory",
        "pages_per_theme": 5,
        "links": 25,
        "on_theme": 0.6,
    },
    "blog": {
        "host": "carnet",
        "title": "Note",
        "archive": "Archives",
        "name": "Carnet",
        "posts": 350,
        "links": (3, 8),
        "on_theme": 0.6,
    },
    "traps": [
        ("Agenda", "http://agenda.test/2024/05/", 6),
        ("Glossaire", "http://glossaire.test/terme/17", 5),
    ],
}

ROBOTS = "User-agent: *\nDisallow: /genindex\nDisallow: /_sources/\n"
ROBOTS_OF = {
    "glossaire": "User-agent: *\nDisallow: /admin/\n",
    "httpd": "User-agent: *\nDisallow: /*/programs/\nDisallow: /style/\n",
    "kicad": "User-agent: *\nCrawl-delay: 1\n",
    "solfege": "User-agent: *\nDisallow: /*/gpl.html$\n",
    "drgeo": "",
}
SITEMAPS = ["handbook", "gimpdoc", "drgeo", "python"]


def agenda(path, query):
    """Un agenda sans fin: an endless calendar whose few words are French."""
    parts = [int(part) for part in path.strip("/").split("/")]
    year, month = parts[0], parts[1]
    if not 1 <= month <= 12:
        raise ValueError(month)
    names = [
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ]
    links = []
    for step in (-12, -1, 1, 12):
        y, m = divmod(year * 12 + month - 1 + step, 12)
        links.append((f"/{y}/{m + 1:02d}/", f"{names[m]} {y}"))
    if len(parts) == 2:
        links += [(f"/{year}/{month:02d}/{day:02d}/", f"{day} {names[month - 1]}") for day in range(1, 29)]
    return f"Agenda {names[month - 1]} {year}", "Aucun événement prévu à cette date.", links


def glossaire(path, query):
    """A French glossary in circles: terms without meaning, each explained by others, for ever."""
    number = int(path.removeprefix("/terme/"))
    draw = random.Random(number)
    starts, middles = (
        ["fich", "lect", "impr", "sais", "affich", "config", "paramét", "enregistr"],
        ["ier", "ure", "age", "ement", "ation", "eur"],
    )

    def term(n):
        pick = random.Random(n * 7 + 1)
        return (
            pick.choice(starts)
            + pick.choice(middles)
            + pick.choice(["", " étendu", " réseau", " par défaut", " de l'utilisateur"])
        )

    others = [draw.randrange(1, 10**9) for _ in range(8)]
    text = " ".join(
        f"Le terme « {term(number)} » désigne, dans cette documentation, ce que vous obtenez avec {term(other)} lorsque le fichier "
        f"doit être ouvert; voir aussi {term(other + 1)}."
        for other in others
    )
    return f"{term(number)} (glossaire)", text, [(f"/terme/{other}", term(other)) for other in [*others, number + 1]]


# host -> function(path, query) giving (title, text, [(href, link text)]); ValueError or IndexError = 404
TRAPS = {"agenda": agenda, "glossaire": glossaire}
