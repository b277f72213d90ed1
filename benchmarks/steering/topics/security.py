"""Topic of the steering benchmark: security and cryptography.

About a tenth of the pages: small libraries as a whole, and the corners of big manuals that deal with TLS, passwords, access control.
"""

import hashlib
import random

TOPIC = "security and cryptography"
KEYWORDS = r"\b(encryption|password|certificate|cipher|authentication)\b"
SEEDS = ["http://directory.test/index.html", "http://nodejs.test/index.html", "http://handbook.test/en-US/index.html"]
# fmt: off
CAP = 360
CAPS = {"securing": 110, "libssh": 70, "cryptopp": 80, "openjdk": 450, "handbook": 330, "soup": 200, "httpd": 400}
RELEVANT_FIRST = 12

SITES = {
    "python": ("python3.11-doc", "usr/share/doc/python3.11/html", ["index.html"]),
    "openjdk": ("openjdk-17-doc", "usr/share/doc/openjdk-17-jre-headless", ["api/index.html", "api/java.base/module-summary.html", "api/java.security.jgss/module-summary.html", "api/java.desktop/module-summary.html"]),
    "cryptography": ("python-cryptography-doc", "usr/share/doc/python-cryptography-doc/html", ["index.html"]),
    "gcrypt": ("libgcrypt20-doc", "usr/share/doc/libgcrypt20-doc/html", ["index.html"]),
    "django": ("python-django-doc", "usr/share/doc/python-django-doc/html", ["index.html"]),
    "httpd": ("apache2-doc", "usr/share/doc/apache2-doc/manual", ["en/index.html", "fr/index.html", "de/index.html"]),
    "botan": ("libbotan-2-doc", "usr/share/doc/libbotan-2-doc/handbook", ["index.html"]),
    "libssh": ("libssh-doc", "usr/share/doc/libssh-dev/html", ["index.html"]),
    "erlang": ("erlang-doc", "usr/share/doc/erlang-doc", ["doc/index.html"]),
    "qt": ("qtbase5-doc-html", "usr/share/qt5/doc", ["qtcore/qtcore-index.html", "qtnetwork/qtnetwork-index.html", "qtgui/qtgui-index.html"]),
    "securing": ("harden-doc", "usr/share/doc/harden-doc/html", ["en-US/index.html", "fr-FR/index.html", "es-ES/index.html"]),
    "authlib": ("python-authlib-doc", "usr/share/doc/python-authlib-doc/html", ["index.html"]),
    "handbook": ("debian-handbook", "usr/share/doc/debian-handbook/html", ["en-US/index.html", "fr-FR/index.html", "de-DE/index.html", "es-ES/index.html"]),
    "cryptopp": ("libcrypto++-doc", "usr/share/doc/libcrypto++-dev/html", ["index.html", "annotated.html"]),
    "gnutls": ("gnutls-doc", "usr/share/doc/gnutls-doc", ["api-reference/index.html", "html/gnutls.html"]),
    "otp": ("python-django-otp-doc", "usr/share/doc/python-django-otp-doc/html", ["index.html"]),
    "yara": ("yara-doc", "usr/share/doc/yara/html", ["index.html"]),
    "p11kit": ("p11-kit-doc", "usr/share/gtk-doc/html/p11-kit", ["index.html"]),
    "nodejs": ("nodejs-doc", "usr/share/doc/nodejs/api", ["index.html"]),
    "twisted": ("twisted-doc", "usr/share/doc/twisted-doc/html", ["index.html", "api/index.html", "api/moduleIndex.html"]),
    "postgresql": ("postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html", ["index.html"]),
    "tomcat": ("tomcat10-docs", "usr/share/tomcat10-docs/docs", ["index.html"]),
    "soup": ("libsoup-3.0-doc", "usr/share/doc/libsoup-3.0", ["index.html"]),
    "libvirt": ("libvirt-doc", "usr/share/doc/libvirt-doc/html", ["index.html", "docs.html"]),
    "bind": ("bind9-doc", "usr/share/doc/bind9-doc/arm", ["index.html"]),
    "flask": ("python-flask-doc", "usr/share/doc/python-flask-doc/html", ["index.html"]),
    "tornado": ("python-tornado-doc", "usr/share/doc/python-tornado-doc/html", ["index.html"]),
    "requests": ("python-requests-doc", "usr/share/doc/python-requests-doc/html", ["index.html"]),
    "cmake": ("cmake-doc", "usr/share/doc/cmake-data/html", ["index.html"]),
    "octave": ("octave-doc", "usr/share/doc/octave", ["octave.html/index.html"]),
    "libstdcxx": ("libstdc++-12-doc", "usr/share/doc/gcc-12-base/libstdc++", ["index.html", "manual/index.html"]),
    "boost": ("libboost1.74-doc", "usr/share/doc/libboost1.74-doc/doc/html", ["index.html"]),
    "gnuplot": ("gnuplot-doc", "usr/share/doc/gnuplot/htmldocs", ["index.html"]),
    "vim": ("vim-doc", "usr/share/doc/vim/html", ["index.html", "usr_toc.html"]),
    "sphinx": ("sphinx-doc", "usr/share/doc/sphinx-doc/html", ["index.html"]),
    "pandas": ("python-pandas-doc", "usr/share/doc/python-pandas-doc/html", ["index.html"]),
    "git": ("git-doc", "usr/share/doc/git-doc", ["index.html"]),
    "slurm": ("slurm-wlm-doc", "usr/share/doc/slurm-wlm/html", ["overview.html", "documentation.html"]),
    "xapian": ("xapian-doc", "usr/share/doc/xapian-doc", ["index.html", "apidoc/html/index.html"]),
    "borg": ("borgbackup-doc", "usr/share/doc/borgbackup/html", ["index.html"]),
    "ffmpeg": ("ffmpeg-doc", "usr/share/doc/ffmpeg", ["manual/ffmpeg.html", "api/index.html"]),
    "install": ("installation-guide-amd64", "usr/share/doc/installation-guide-amd64", ["en/index.html", "fr/index.html", "ja/index.html"]),
    "debref-en": ("debian-reference-en", None, None),
    "debref-fr": ("debian-reference-fr", None, None),
    "debref-de": ("debian-reference-de", None, None),
}
# fmt: on

RELEVANT_SITES = [
    "cryptography",
    "gcrypt",
    "botan",
    "libssh",
    "securing",
    "authlib",
    "cryptopp",
    "gnutls",
    "otp",
    "yara",
    "p11kit",
]
RULES = {
    "cryptography": [
        (
            r"/(genindex|py-modindex|search|changelog|community|doing-a-release|api-stability|installation|limitations)\.html",
            0,
        ),
        (r"/development/(getting-started|submitting-patches|reviewing-patches|c-bindings|index)", 0),
    ],
    "gcrypt": [
        (
            r"/(Copying|Header|Building-sources|Building-sources-using-Automake|Allocation-handler|Context-management|Buffer-description|"
            r"Figures-and-Tables|Concept-Index|Function-and-Data-Index|Multi_002dThreading|Config-reporting|Error-[A-Za-z]+|"
            r"Data-types|Bit-manipulations|Miscellaneous|MPI-[A-Za-z-]+|Basic-functions|Calculations|Comparisons|Logging-Handler|"
            r"Configuration-of-libgcrypt|Documentation[A-Za-z-]*|Preparation|Initializing-the-library)\.html",
            None,
        ),
    ],
    "botan": [
        (
            r"/(genindex|py-modindex|search|contents|index|old_news|abi|building|support|packaging|credits|deprecated|roadmap)\.html",
            0,
        ),
        (
            r"/dev_ref/(configure|continuous_integration|contributing|release_process|test_framework|todo|os|contents)",
            0,
        ),
        (r"/api_ref/(compression|bigint|env_vars|versions|zfec|contents|python|ffi)", None),
    ],
    "libssh": [
        (
            r"/(annotated|classes|files|functions\w*|globals\w*|graph_legend|dir_\w+|deprecated|bug|todo|pages|modules)\.html",
            None,
        ),
        (
            r"/(bytearray|buffer|socket|poll|priv|misc|string|callbacks|config\w*|options|bind\w*|messages|wrapper|packet|session)_8h",
            None,
        ),
        (r"/group__libssh__(buffer|string|poll|socket|misc|log|threads|error|callbacks)|/search/", None),
    ],
    "securing": [
        (r"/(ix|copyright|legal|credits?|ch01s\d+)\.html", None),
    ],
    "authlib": [
        (
            r"/(genindex|py-modindex|search|changelog)\.html|/community/(authors|awesome|contribute|funding|index|licenses|support|sustainable)",
            0,
        ),
        (r"/basic/(install|logging)", None),
    ],
    "cryptopp": [
        (
            r"/(annotated|classes|files|functions\w*|globals\w*|graph_legend|hierarchy|dir_\w+|namespace\w*|deprecated|bug|todo|pages)\.html",
            None,
        ),
        (
            r"/(_g_n_umakefile\w*|config\w*|stdcpp\w*|allocate\w*|argnames\w*|basecode\w*|hex\w*|base32\w*|base64\w*|"
            r"channels\w*|cpu\w*|adv__simd\w*|bench\w*|files\w*|zlib\w*|gzip\w*|zdeflate\w*|zinflate\w*|adler32\w*|crc\w*|"
            r"algebra\w*|integer\w*|gf2n\w*|polynom\w*|queue\w*|mqueue\w*|misc\w*|smartptr\w*|simple\w*|filters\w*|"
            r"trap\w*|validate\w*|test\w*|words\w*|struct\w*|hrtimer\w*|eprecomp\w*|algparam\w*)\.html",
            None,
        ),
    ],
    "otp": [(r"/(genindex|py-modindex|search|changes)\.html", 0)],
    "yara": [(r"/(genindex|py-modindex|search|index)\.html", None)],
    "p11kit": [(r"/(devel-\w+|devel|annotation-glossary|api-index\w*|building\w*|.*style.*|.*deps.*)\.html", None)],
    "gnutls": [(r"/api-index|/intro\.html", None)],
    "python": [
        (r"/library/(crypto|hashlib|hmac|secrets|ssl|getpass|crypt|security_warnings|audit_events)\.html", 1),
        (r"/library/(random|uuid|netrc|spwd|zlib|binascii)\.html", None),
    ],
    "django": [
        (
            r"/topics/(auth/|security|signing|http/sessions)|/ref/(csrf|clickjacking|contrib/auth)|/howto/auth-remote|/wsgi/apache-auth|"
            r"/internals/security|/releases/security|/_modules/django/contrib/auth/|/_modules/django/core/signing|"
            r"/_modules/django/utils/crypto|/_modules/django/views/decorators/csrf|/_modules/django/middleware/(csrf|security|clickjacking)",
            1,
        ),
        (r"/ref/middleware|/deployment/checklist|/releases/\d+\.\d+\.\d+\.html", None),
    ],
    "httpd": [
        (
            r"/ssl/|/mod/mod_(ssl|authn?z?_|authnz|auth_|access_compat|md|nw_ssl|session_crypto|privileges|suexec|allowmethods|ldap)|"
            r"/howto/(auth|access)\.html|/misc/(security_tips|password_encryptions)|/programs/(htpasswd|htdigest|htdbm|dbmmanage|suexec)|/suexec\.html",
            1,
        ),
        (r"/rewrite/access|/howto/htaccess|/mod_session|mod_reqtimeout|mod_remoteip|mod_unique|/glossary", None),
    ],
    "openjdk": [
        (
            r"/java/security/|/javax/crypto/|/javax/net/ssl/|/javax/security/|/org/ietf/jgss/|/com/sun/security/|/javax/xml/crypto/|"
            r"/java\.security\.(jgss|sasl)/|/jdk\.security\.(auth|jgss)/|/java\.xml\.crypto/|/jdk\.crypto\.|/javax/smartcardio/|/java\.smartcardio/",
            1,
        ),
        (
            r"/jdk/security/|/java/net/(Authenticator|PasswordAuthentication)|SecurityManager|SecurityException|RMISecurity|/javax/rmi/ssl",
            None,
        ),
    ],
    "erlang": [
        (r"/lib/(crypto|ssl|ssh|public_key)-", 1),
        (r"/lib/(eldap|diameter)-", None),
    ],
    "qt": [
        (
            r"/(qssl|qcryptographichash|qmessageauthenticationcode|qauthenticator|ssl\.|qtnetwork-secure|qopcua|qhstspolicy)",
            1,
        ),
        (r"/(qpassworddigestor|qrandomgenerator|qhsts)", None),
    ],
    "handbook": [
        (
            r"/(security|sect\.(firewall-packet-filtering|supervision|apparmor|selinux|other-security-considerations|"
            r"dealing-with-compromised-machine|package-authentication|x509-cert|virtual-private-network))\.html",
            1,
        ),
        (
            r"/sect\.(remote-login|ldap-directory|rights-management|tails|kali|user-group-databases|creating-accounts)",
            None,
        ),
    ],
    "nodejs": [
        (r"/(crypto|tls|https|webcrypto|permissions|policy)\.html", 1),
        (r"/all\.html", None),
    ],
    "twisted": [
        (
            r"/api/twisted\.(cred|conch\.ssh|conch\.client|conch\.checkers|internet\.ssl|internet\._sslverify|protocols\.tls|python\.randbytes|"
            r"web\._auth|web\.guard|mail\._cred|plugins\.cred)|/conch/|/core/howto/(ssl|cred)",
            1,
        ),
        (r"/api/twisted\.conch|/pair/|tls", None),
    ],
    "postgresql": [
        (
            r"/(auth-|client-authentication|encryption-options|gssapi|ssl-tcp|libpq-ssl|pgcrypto|sslinfo|sasl-|sepgsql|sspi|passwordcheck|"
            r"database-roles|role-|user-manag|ddl-priv|ddl-rowsecurity|default-roles|predefined-roles|sql-(grant|revoke|createrole|alterrole|"
            r"droprole|security-label|createpolicy|alterpolicy|createuser|alterdefaultpriv)|preventing-server-spoofing|ssh-tunnels|perm-functions)",
            1,
        ),
        (
            r"/(libpq-ldap|catalog-pg-auth|view-pg-roles|rules-priv|plpgsql-trust|logical-replication-security|planner-stats-security|infoschema-.*(role|priv|grant)|uuid)",
            None,
        ),
    ],
    "tomcat": [
        (
            r"/(realm-howto|ssl-howto|security-howto|security-manager-howto|windows-auth-howto|config/(realm|credentialhandler|jaspic))\.html",
            1,
        ),
        (r"/(apr|config/(http|valve|listeners))\.html", None),
    ],
    "soup": [
        (
            r"/(class|ctor|method|property|signal|struct|vfunc|type_func|callback|iface|enum|flags|func|const)\.(Auth|HSTS)|tls|[cC]ertificate|[aA]uthenticate",
            1,
        ),
    ],
    "libvirt": [
        (
            r"/(auth|acl|aclpolkit|securityprocess|tlscerts|formatsecret|formatstorageencryption|drvsecret|launch_security_sev|tpm)\w*\.html|kbase/.*(secur|sev|tls|cert|secret)",
            1,
        ),
        (r"/(remote|auditlog|firewall|formatnwfilter|uri)\.html|secret", None),
    ],
    "bind": [
        (r"/(dnssec-guide|chapter5|chapter7)\.html", 1),
        (r"/(reference|manpages|chapter\d+|notes|changelog)\.html", None),
    ],
    "flask": [(r"/security\.html", 1)],
    "tornado": [(r"/(auth|guide/security|_modules/tornado/auth)\.html", 1), (r"/web\.html", None)],
    "requests": [
        (r"/user/authentication|/_modules/requests/auth|/community/vulnerabilities", 1),
        (r"/user/advanced", None),
    ],
    "borg": [
        (r"/internals/security|/usage/(key|change-passphrase)", 1),
        (r"/internals/data-structures|/usage/init|/deployment/", None),
    ],
    "slurm": [(r"/(authentication|authplugins|jwt|cred\w*|pam_slurm\w*|selinux|cryptoplugins|crypto\w*)\.html", 1)],
    "ffmpeg": [
        (
            r"/(aes|blowfish|camellia|cast5|des|hmac|md5|murmur3|rc4|ripemd|sha|sha512|tea|twofish|xtea|hash|encryption__info|aes__ctr)_8h|group__lavu__(aes|des|hmac|md5|sha|crypto|hash|blowfish|camellia|cast5|rc4|ripemd|tea|twofish|xtea|sha512|murmur3)|structAV(AES|DES|HMAC|MD5|SHA|Encryption|Blowfish|Camellia|CAST|RC4|RIPEMD|TEA|TWOFISH|XTEA)",
            None,
        ),
    ],
    "debref-en": [(r"/ch04", 1)],
    "debref-fr": [(r"/ch04", 1)],
    "debref-de": [(r"/ch04", 1)],
    "git": [(r"/(git-credential\w*|gitcredentials|signature-format|git-verify)", None)],
    "boost": [(r"ssl|crypt|sha1|uuid", None)],
    "install": [(r"/(ch07s02|ch06s03)\.html", None)],
}

EXTERNAL = [
    (r"(docs|www)\.python\.org", "python"),
    (r"docs\.djangoproject\.com", "django"),
    (r"httpd\.apache\.org", "httpd"),
    (r"(www\.)?postgresql\.org", "postgresql"),
    (r"docs\.oracle\.com", "openjdk"),
    (r"nodejs\.org", "nodejs"),
    (r"doc\.qt\.io", "qt"),
    (r"(www\.)?erlang\.org", "erlang"),
    (r"cryptography\.io", "cryptography"),
    (r"git-scm\.com", "git"),
    (r"cmake\.org", "cmake"),
    (r"(www\.)?libssh\.org", "libssh"),
    (r"libvirt\.org", "libvirt"),
]

THEMES = {
    "crypto": ["cryptography", "gcrypt", "botan", "cryptopp", "gnutls", "libssh", "p11kit"],
    "accounts": ["securing", "authlib", "otp", "yara", "django", "tomcat"],
    "python": ["python", "django", "flask", "tornado", "requests", "sphinx", "pandas"],
    "debian": ["handbook", "install", "debref-en", "debref-fr", "debref-de", "securing"],
    "cpp": ["libstdcxx", "boost", "qt", "cmake", "xapian", "ffmpeg"],
    "servers": ["httpd", "tomcat", "bind", "postgresql", "libvirt", "soup", "nodejs"],
    "maths": ["octave", "gnuplot", "pandas", "slurm"],
    "concurrency": ["erlang", "twisted", "openjdk", "nodejs"],
    "tools": ["vim", "git", "borg", "cmake", "slurm"],
}
HUBS = {
    "seed": 11,
    "directory": {
        "host": "directory",
        "title": "Software directory",
        "home": "Software directory",
        "pages_per_theme": 4,
        "links": 25,
        "on_theme": 0.6,
    },
    "blog": {
        "host": "blog",
        "title": "Weekly reading",
        "archive": "Reading archive",
        "name": "Weekly reading",
        "posts": 350,
        "links": (3, 8),
        "on_theme": 0.65,
    },
    "traps": [
        ("Calendar of meetings", "http://calendar.test/2024/1.html", 6),
        ("Security advisories", "http://advisories.test/2021/adv-0001.html", 5),
        ("Forum", "http://forum.test/t/0", 9),
    ],
}

ROBOTS = "User-agent: *\nDisallow: /genindex\nDisallow: /_sources/\nDisallow: /search.html\n"
ROBOTS_OF = {
    "forum": "User-agent: *\nDisallow: /private/\nDisallow: /*?sid=\n",
    "otp": "User-agent: *\nCrawl-delay: 1\nDisallow: /_modules/\n",
    "django": "User-agent: *\nDisallow: /_modules/\nAllow: /_modules/django/contrib/auth/\n",
    "tomcat": "User-agent: *\nDisallow:\n",
    "twisted": "User-agent: *\nDisallow: /*private$\nDisallow: /_downloads/\n",
}
SITEMAPS = ["python", "django", "handbook", "cryptography", "libvirt", "postgresql"]


def calendar(path, query):
    """An endless calendar: each month links to its days and to the months before and after, for ever."""
    parts = path.removesuffix(".html").strip("/").split("/")
    year, month = int(parts[0]), int(parts[1])
    before = f"/{year}/{month - 1}.html" if month > 1 else f"/{year - 1}/12.html"
    after = f"/{year}/{month + 1}.html" if month < 12 else f"/{year + 1}/1.html"
    links = [(before, "previous month"), (after, "next month")]
    if len(parts) > 2:
        day = int(parts[2])
        return f"{year}-{month:02d}-{day:02d}", "No meetings on this day.", [*links, (f"/{year}/{month}.html", "month")]
    days = [(f"/{year}/{month}/{day}.html", str(day)) for day in range(1, 29)]
    return f"Meetings {year}-{month:02d}", "No meetings this month.", days + links


def advisories(path, query):
    """Machine-made security advisories without end: each leads to newer, older and "related" ones, in the topic's own words."""
    year, number = path.removesuffix(".html").strip("/").split("/adv-")
    year, number = int(year), int(number)
    draw = random.Random(path)
    faults = [
        "buffer overflow",
        "weak cipher",
        "expired certificate",
        "password disclosure",
        "authentication bypass",
        "timing attack",
    ]
    places = [
        "the TLS handshake",
        "the key exchange",
        "the login form",
        "the signature check",
        "the random generator",
        "session tokens",
    ]
    title = f"Security advisory {year}-{number:04d}: {draw.choice(faults)} in {draw.choice(places)}"
    text = " ".join(
        f"A {draw.choice(faults)} in {draw.choice(places)} lets an attacker read the encryption key. "
        f"Severity {draw.randrange(1, 11)}. Update the certificate store and change every password."
        for _ in range(8)
    )
    related = [(draw.randrange(1990, 2100), draw.randrange(1, 9999)) for _ in range(6)]
    names = [(y, n, f"Advisory {y}-{n:04d}: {draw.choice(faults)}") for y, n in related]
    names += [(year, number + 1, "newer advisory"), (year - 1, number, "same week of the year before")]
    return title, text, [(f"/{y}/adv-{n:04d}.html", name) for y, n, name in names]


def forum(path, query):
    """80 threads, but every page links to them under fresh session ids, so the number of URLs has no end."""
    subjects = [
        "Which laptop runs Linux best",
        "Photos of our last meeting",
        "My printer is not detected",
        "Best podcasts",
    ]
    draw = random.Random(path + query)
    links = []
    for _ in range(12):
        session = hashlib.sha1(repr((path, query, draw.random())).encode()).hexdigest()[:12]
        links.append((f"/t/{draw.randrange(80)}?sid={session}", draw.choice(subjects)))
    text = " ".join(draw.choice(subjects) + "? Replies welcome." for _ in range(12))
    return draw.choice(subjects), text, links


# host -> function(path, query) giving (title, text, [(href, link text)]); ValueError or IndexError = 404
TRAPS = {"calendar": calendar, "advisories": advisories, "forum": forum}
