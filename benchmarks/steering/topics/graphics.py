"""Topic of the steering benchmark: computer graphics and image processing.

Common: about three pages in ten. Whole libraries and manuals, the drawing corners of Qt, Java and Octave; sound, video and plotting are near.
"""

import random

TOPIC = "computer graphics and image processing"
KEYWORDS = r"\b(image|pixel|colou?r|render\w*|drawing)\b"
SEEDS = ["http://start.test/index.html", "http://qt.test/qtcore/qtcore-index.html", "http://vim.test/index.html"]
# fmt: off
CAP = 140
CAPS = {
    "gimp-en": 220, "vigra": 130, "imagemagick": 150, "coin": 110, "ogre": 130, "jiu": 100, "pillow": 130, "libgimp": 120, "tiff": 120,
    "gdk-pixbuf": 110, "vips": 90, "cimg": 60, "openjdk": 320, "qt": 300, "python": 300, "octave": 240,
}
RELEVANT_FIRST = 40

SITES = {
    "qt": ("qtbase5-doc-html", "usr/share/qt5/doc", ["qtcore/qtcore-index.html", "qtgui/qtgui-index.html", "qtwidgets/qtwidgets-index.html", "qtsql/qtsql-index.html"]),
    "vim": ("vim-doc", "usr/share/doc/vim/html", ["index.html", "usr_toc.html"]),
    "gimp-en": ("gimp-help-en", "usr/share/gimp/2.0/help/en", ["index.html"]),
    "python": ("python3.11-doc", "usr/share/doc/python3.11/html", ["index.html"]),
    "openjdk": ("openjdk-17-doc", "usr/share/doc/openjdk-17-jre-headless", ["api/index.html", "api/java.base/module-summary.html", "api/java.desktop/module-summary.html", "api/java.xml/module-summary.html"]),
    "cairo": ("libcairo2-doc", "usr/share/gtk-doc/html/cairo", ["index.html"]),
    "vips": ("libvips-doc", "usr/share/gtk-doc/html/libvips", ["index.html"]),
    "vigra": ("libvigraimpex-doc", "usr/share/doc/libvigraimpex-dev/html", ["index.html"]),
    "imagemagick": ("imagemagick-6-doc", "usr/share/doc/imagemagick-6-common/html", ["index.html", "www/index.html", "www/api.html"]),
    "povray": ("povray-doc", "usr/share/doc/povray/html", ["index.html"]),
    "octave": ("octave-doc", "usr/share/doc/octave", ["octave.html/index.html"]),
    "imageio": ("python-imageio-doc", "usr/share/doc/python-imageio-doc/html", ["index.html"]),
    "pillow": ("python-pil-doc", "usr/share/doc/python-pil-doc/html", ["index.html"]),
    "wand": ("wand-doc", "usr/share/doc/wand-doc/html", ["index.html"]),
    "cimg": ("cimg-doc", "usr/share/doc/cimg-dev/html", ["index.html"]),
    "tiff": ("libtiff-doc", "usr/share/doc/libtiff-doc/manual", ["index.html"]),
    "coin": ("libcoin-doc", "usr/share/doc/libcoin-dev/html", ["index.html", "annotated.html"]),
    "glfw": ("libglfw3-doc", "usr/share/doc/libglfw3-dev/html", ["index.html"]),
    "ogre": ("ogre-1.12-doc", "usr/share/doc/ogre-1.12-doc/api/html", ["index.html", "annotated.html"]),
    "freetype": ("freetype2-doc", "usr/share/doc/libfreetype-dev", ["documentation.html", "reference/index.html"]),
    "gdk-pixbuf": ("libgdk-pixbuf2.0-doc", "usr/share/doc/libgdk-pixbuf2.0-doc/html", ["gdk-pixbuf/index.html"]),
    "rsvg": ("librsvg2-doc", "usr/share/doc/librsvg2-doc/Rsvg-2.0", ["index.html"]),
    "argyll": ("argyll-doc", "usr/share/doc/argyll-doc", ["ArgyllDoc.html"]),
    "jiu": ("libjiu-java-doc", "usr/share/doc/libjiu-java", ["api/index.html", "api/net/sourceforge/jiu/apps/package-summary.html"]),
    "libgimp": ("libgimp2.0-doc", "usr/share/gtk-doc/html", ["libgimp/index.html", "libgimpwidgets/index.html"]),
    "qtmultimedia": ("qtmultimedia5-doc-html", "usr/share/qt5/doc/qtmultimedia", ["qtmultimedia-index.html"]),
    "ffmpeg": ("ffmpeg-doc", "usr/share/doc/ffmpeg", ["manual/ffmpeg.html", "api/index.html"]),
    "pango": ("libpango1.0-doc", "usr/share/doc/libpango1.0-doc/reference", ["Pango/index.html"]),
    "glib": ("libglib2.0-doc", "usr/share/gtk-doc/html", ["glib/index.html", "gio/index.html", "gobject/index.html"]),
    "erlang": ("erlang-doc", "usr/share/doc/erlang-doc", ["doc/index.html"]),
    "sqlite": ("sqlite3-doc", "usr/share/doc/sqlite3", ["index.html"]),
    "django": ("python-django-doc", "usr/share/doc/python-django-doc/html", ["index.html"]),
    "nodejs": ("nodejs-doc", "usr/share/doc/nodejs/api", ["index.html"]),
    "swi": ("swi-prolog-doc", "usr/share/swi-prolog/doc/Manual", ["index.html", "Contents.html"]),
    "lilypond-de": ("lilypond-doc-html-de", "usr/share/doc/lilypond/html/Documentation", ["web/index.de.html", "notation/index.de.html", "learning/index.de.html", "usage/index.de.html"]),
    "solfege": ("solfege-doc", "usr/share/doc/solfege/help", ["C/index.html", "fr/index.html", "es/index.html", "de/index.html"]),
    "ant": ("ant-doc", "usr/share/doc/ant", ["manual/index.html", "manual/tasklist.html", "api/overview-summary.html"]),
    "tomcat": ("tomcat10-docs", "usr/share/tomcat10-docs/docs", ["index.html"]),
    "udisks": ("udisks2-doc", "usr/share/gtk-doc/html/udisks2", ["index.html"]),
    "buildbot": ("buildbot-doc", "usr/share/doc/buildbot/html", ["index.html"]),
    "beets": ("beets-doc", "usr/share/doc/beets/html", ["index.html"]),
    "zoneminder": ("zoneminder-doc", "usr/share/doc/zoneminder-doc/html", ["index.html"]),
}
# fmt: on

RELEVANT_SITES = [
    "gimp-en",
    "cairo",
    "vips",
    "vigra",
    "imagemagick",
    "povray",
    "imageio",
    "pillow",
    "wand",
    "cimg",
    "tiff",
    "coin",
    "glfw",
    "ogre",
    "freetype",
    "gdk-pixbuf",
    "rsvg",
    "argyll",
    "jiu",
    "libgimp",
]
RULES = {
    "gimp-en": [
        (
            r"/(bibliography|gfdl\w*|legal\w*|index|gimp-help\w*|glossary|become-a-gimp-wizard|.*bugs?|reporting\w*|gimp-reporting\w*)\.html",
            None,
        ),
    ],
    "cairo": [
        (
            r"/(index-\w+|index-[\d.]+|bindings-(errors|memory|overloading|return-values|streams)|language-bindings|cairo-Error-handling|"
            r"cairo-Version-Information|cairo-Types|cairo-support)\.html",
            None,
        ),
    ],
    "vips": [
        (
            r"/(api-index-full|annotation-glossary|object-tree|ch0\d|using-threads|binding|Cite|VipsSbuf|VipsTargetCustom|VipsThreadState|"
            r"libvips-(error|memory|buf|version|semaphore|type|util|basic))\.html",
            None,
        ),
    ],
    "vigra": [
        (
            r"/(annotated|classes|files|functions\w*|globals\w*|dir_\w+|hierarchy|namespace\w*|graph_legend|inherits|deprecated|todo|bug|pages|examples)\.html",
            None,
        ),
        (
            r"/(ErrorReporting|Installation|License|CreditsChangelog|MathConstants|FFTW|FixedPoint|AlgebraicConcepts|functionindex|ExampleList|VigraMatlab|"
            r"NumericPromotion|TimingMacros|TupleTypes|MultiIteratorPage)",
            None,
        ),
        (
            r"/(class|struct)vigra_1_1(MultiArray|TinyVector|ArrayVector|Matrix|linalg|Sized|Priority|BucketQueue|Random|HDF5|rf|sampling|Polynomial|"
            r"Rational|FixedPoint|StaticPoly|Autodiff|autodiff|acc|Chunked|Threading|Binary|AdjacencyList|GridGraph|Mapped|Filter|Iterator|FunctorTraits|BestGini|Any|Bar|StridedM|detail|Numpy)|group__(FixedSize|Polynom|MatrixAlg|MultiMath|MultiPoint|GraphData|RangesAnd|ChunkedArray|Random|Machine|Linear|Math|Data|Optim|Unsup|Parallel)|"
            r"(_8hxx|_8h)(_source)?\.html",
            None,
        ),
    ],
    "imagemagick": [
        (
            r"/(MagickCore|MagickWand)/(annotated|classes|files|functions\w*|globals\w*|dir_\w+|graph_legend|struct\w*)\.html",
            None,
        ),
        (
            r"/(thread|mutex|semaphore|utility|string__?|hashmap|splay|log|exception|memory|random|timer|token|xml-tree|registry|policy|option|"
            r"configure|version|blob|signature|nt-|mac|vms|delegate|static|client|cipher|deprecate|locale)[\w-]*(_8[ch](_source)?)?\.html",
            None,
        ),
        (
            r"/(security-policy|license|contact|sitemap|support|sponsors?|links|mailing-list|history|Future|ChangeLog|NEWS|Install|"
            r"advanced-\w+-installation|install-source|download|binary-releases|mirror|index|openmp|opencl|porting|escape|resources|develop)\.html",
            None,
        ),
    ],
    "povray": [(r"/(index|u1_\d|r3_0)\.html", None)],
    "imageio": [(r"/(genindex|py-modindex|search|drop27|envvariables|cmdlinescripts)\.html", None)],
    "pillow": [
        (
            r"/(genindex|py-modindex|search|about|porting|installation|handbook/appendices|releasenotes/index|_modules/index|index)\.html|/releasenotes/",
            None,
        )
    ],
    "wand": [
        (
            r"/(genindex|py-modindex|search|changes|roadmap|guide/(install|security|resource|exceptions)|test|talks|wand/(resource|exceptions|compat|version))\.html|/whatsnew",
            None,
        )
    ],
    "cimg": [
        (
            r"/(annotated|classes|functions\w*|files|globals\w*|pages|hierarchy|namespace\w*|modules|environment_variables)\.html",
            None,
        )
    ],
    "tiff": [
        (
            r"/releases/|/(index|internals|build|contrib|bugs|history|project/\w+|search|genindex|multi_page)\.html|/project/|TIFFError|TIFFWarning|TIFFmemory|TIFFswab",
            None,
        )
    ],
    "coin": [
        (
            r"/(annotated|classes|files|functions\w*|globals\w*|dir_\w+|hierarchy|namespace\w*|graph_legend|inherits|deprecated|todo|bug|pages|modules|group\w*)\.html",
            None,
        ),
        (
            r"(_8h|_8cpp)(_source)?\.html|/classSb(String|Name|Dict|List|Time|Plist|PList|Bool|Thread|Mutex|Barrier|Typed|Storage|FifO)|/classSo(Field|MField|SField|Type|"
            r"Sensor|TimerSensor|OneShot|DB|Input|Output|Error|Debug|Base)|classSb(Cond|RW|Heap|IntList|ByteBuffer|Fifo|Pimpl|LazyPimpl|TypeInfo|Profiling)|/struct(JS|cc_|Sb)|/classScXML|-members",
            None,
        ),
    ],
    "glfw": [
        (
            r"/(files|dir_\w+|deprecated|globals\w*|functions\w*|annotated|classes|pages|modules|bug|news|compile\w*|build\w*|.*_8\w+)\.html|/search/|joystick|gamepad|keys|buttons|input|group__(errors|hat__state|mods)",
            None,
        )
    ],
    "ogre": [
        (
            r"/(annotated|classes|files|functions\w*|globals\w*|dir_\w+|hierarchy|namespace\w*|graph_legend|inherits|deprecated|todo|bug|pages|modules)\.html",
            None,
        ),
        (
            r"(_8h|_8cpp|_8inl)(_source)?\.html|/search/|-members|Script(Compiler|Lexer|Parser)|Log|Archive|File|Zip|Memory|Alloc|Thread|Mutex|"
            r"Profil|Timer|String|StreamList|DynLib|Plugin|Exception|Any_|Atomic|Config|Singleton|Bites|Input|std_1_1|Hash|Shared|Factory",
            None,
        ),
    ],
    "freetype": [
        (
            r"/reference/ft2-(base_interface|basic_types|bzip2|gzip|lzw|computations|debugging|error|header|list|mac|module|parameter|properties|"
            r"system|user_alloc|version|incremental|index|winfnt|sfnt|type1_tables|truetype_tables|gx_|ot_val|pfr|cid|bdf|pcf|preamble)|/reference/(404|index)|ft2faq",
            None,
        ),
    ],
    "gdk-pixbuf": [
        (
            r"/(error|const|callback\.PixbufModule\w*|struct\.PixbufModule\w*|enum\.Pixdata\w*|index|building|modules|porting[\w-]*|classes_hierarchy|func\.pixbuf_error\w*)[\w.]*\.html|/gdk-pixdata/",
            None,
        )
    ],
    "rsvg": [
        (
            r"/(const|error|enum\.Error|func|func\.\w*(init|term)\w*|index|devel-\w+|overview|recommendations|migrating|classes_hierarchy)[\w.]*\.html",
            None,
        )
    ],
    "argyll": [
        (
            r"/(Compiling|Installing\w*|Environment|Organisation|ChangesSummary|Limitations|Performance|ucmm|File_Formats|MinorTools|Source|.*License.*|evalprof\w*)\.html",
            None,
        )
    ],
    "jiu": [
        (
            r"/(allclasses\w*|allpackages\w*|constant-values|deprecated-list|help-doc|index-all|index|overview-tree|serialized-form|package-(tree|use))\.html|/class-use/|/jiu/(apps|util|ops)/",
            None,
        )
    ],
    "libgimp": [
        (
            r"/(api-index[\w-]*|annotation-glossary|index|libgimp-tools|libgimp-running)\.html|/libgimp(config|module|thumb|math|base)/|/libgimpwidgets/(?!.*[Cc]olor)|[Gg]imp(ProcBrowser|ProcView|gimprc|help|message|debug|gimp\.|plugin|progress|Progress)",
            None,
        )
    ],
    "qt": [
        (
            r"/qtgui/(q(abstractopengl|image|pixmap|bitmap|brush|pen|color|colorspace|colortransform|painter|paintengine|paintdevice|gradient|conicalgradient|lineargradient|"
            r"radialgradient|polygon|region|picture|movie|opengl|rgba64|icon|pixelformat|surface|raster|backingstore|matrix|transform|vector[234]d|quaternion)"
            r"|paint|coordsys|openglwindow|qtgui-(openglwindow|rasterwindow|analogclock)|image)|/qtopengl/(qgl|hellogl|qtopengl-(2d|cube|hello|textures))|"
            r"/qtwidgets/(qgraphics|graphicsview|qopengl|qtwidgets-(painting|graphicsview|widgets-(scribble|imageviewer)))",
            1,
        ),
        (
            r"/qtgui/(qt-attribution|qtgui-attribution)|/qtwidgets/(qcolordialog|qstyle|qsplash|qpixmap|qcolormap)|/qtgui/(qfont|qraw|qglyph|qpdf|qpage|qwindow|qscreen|qtgui)|/qtopengl/",
            None,
        ),
    ],
    "openjdk": [
        (
            r"/java/awt/(image|geom|color)/|/javax/imageio/|/java/awt/(class-use/)?(Graphics|Image|Color|Paint|Stroke|BasicStroke|Composite|AlphaComposite|"
            r"Gradient|LinearGradient|RadialGradient|MultipleGradient|TexturePaint|RenderingHints|Shape|Polygon|BufferCapabilities|ImageCapabilities|Transparency)",
            1,
        ),
        (
            r"/java/awt/(font|print)/|/java/awt/(class-use/)?(Font|Canvas|Rectangle|Point|Component|Splash|Display|GraphicsEnv)|/javax/swing/(class-use/)?(Icon|ImageIcon|JColor)|colorchooser|/java\.desktop/module",
            None,
        ),
    ],
    "octave": [
        (
            r"/(Image-Processing|Displaying-Images|Loading-and-Saving-Images|Representing-Images|Color-Conversion|Plotting-on-top-of-Images)\.html",
            1,
        ),
        (r"(?i)plot|graphic|image|colou?r|figure|axes|patch-|surface|light|(line|text)-prop|line-style|legend", None),
    ],
    "python": [(r"/library/(turtle|colorsys)\.html", 1), (r"/library/(imghdr|tkinter[\w.]*|mm)\.html", None)],
    "pango": [(r"cairo|PangoFT2|Renderer|render|[cC]olor", None)],
    "ffmpeg": [
        (
            r"/api/(.*(swscale|pixfmt|pixdesc|imgutils|libsws|lsws|pixelutils|hwcontext|overlay|stereo3d|spherical|detection_bbox|film__grain|mastering|colou?r|csp|picture|thumb|scale).*)",
            None,
        ),
        (r"(?i)filter|video|frame|image|avfilter|codec", None),
    ],
    "qtmultimedia": [(r"(?i)video|camera|image|frame|surface|visual|multimedia-index|viewfinder", None)],
    "erlang": [(r"/lib/wx-", None)],
    "zoneminder": [(r"(?i)zone|image|monitor|event|view|video", None)],
    "django": [(r"/ref/(forms/fields|models/fields)", None)],
    "beets": [(r"art|thumb", None)],
    "lilypond-de": [(r"(?i)grafi|farb|image|stencil|markup", None)],
}

EXTERNAL = [
    (r"(docs|www)\.python\.org", "python"),
    (r"doc\.qt\.io", "qt"),
    (r"docs\.oracle\.com", "openjdk"),
    (r"pillow\.readthedocs\.io", "pillow"),
    (r"(www\.)?cairographics\.org", "cairo"),
    (r"(www\.)?imagemagick\.org", "imagemagick"),
    (r"(www\.)?sqlite\.org", "sqlite"),
    (r"docs\.djangoproject\.com", "django"),
    (r"nodejs\.org", "nodejs"),
    (r"(www\.)?ffmpeg\.org", "ffmpeg"),
    (r"(www\.)?octave\.org", "octave"),
    (r"(docs|www)\.gimp\.org", "gimp-en"),
]

THEMES = {
    "pictures": ["gimp-en", "imagemagick", "pillow", "imageio", "wand", "tiff", "vips", "cimg", "vigra", "jiu"],
    "scenes": ["povray", "coin", "ogre", "glfw", "argyll", "rsvg", "freetype"],
    "toolkits": ["qt", "glib", "pango", "cairo", "gdk-pixbuf", "libgimp", "udisks"],
    "sound": ["qtmultimedia", "ffmpeg", "beets", "solfege", "lilypond-de", "zoneminder"],
    "languages": ["python", "openjdk", "erlang", "swi", "nodejs", "octave"],
    "servers": ["tomcat", "django", "sqlite", "buildbot", "ant"],
    "editing": ["vim", "ant", "buildbot", "swi"],
}
HUBS = {
    "seed": 5,
    "directory": {
        "host": "start",
        "title": "Start page",
        "home": "Start page",
        "pages_per_theme": 4,
        "links": 22,
        "on_theme": 0.55,
    },
    "blog": {
        "host": "journal",
        "title": "Journal entry",
        "archive": "Older entries",
        "name": "Journal",
        "posts": 300,
        "links": (3, 8),
        "on_theme": 0.6,
    },
    "traps": [
        ("Exhibitions by month", "http://diary.test/2024-05", 6),
        ("Search pictures", "http://pictures.test/search?q=image&sort=date&page=1", 4),
    ],
}

ROBOTS = "User-agent: *\nDisallow: /genindex\nDisallow: /_sources/\nDisallow: /*-members.html$\n"
ROBOTS_OF = {
    "pictures": "User-agent: *\nDisallow: /cart\n",
    "gimp-en": "",
    "povray": "User-agent: *\nCrawl-delay: 1\n",
    "ogre": "User-agent: *\nDisallow: /search/\nDisallow: /*_source.html\n",
    "jiu": "User-agent: *\nDisallow: /api/*/class-use/\n",
    "django": "User-agent: *\nDisallow: /_modules/\n",
}
SITEMAPS = ["qt", "pillow", "vim", "sqlite", "cairo"]


def diary(path, query):
    """An endless diary: a page a month and a day, and the months before and after it for ever."""
    parts = [int(part) for part in path.strip("/").split("-")]
    year, month = parts[0], parts[1]
    around = [divmod(year * 12 + month - 1 + step, 12) for step in (-12, -1, 1, 12)]
    links = [(f"/{y}-{m + 1:02d}", f"{m + 1}/{y}") for y, m in around]
    if len(parts) == 2:
        links += [(f"/{year}-{month:02d}-{day:02d}", str(day)) for day in range(1, 32)]
    return "Diary " + "-".join(str(part) for part in parts), "Nothing on this date. Write something.", links


def pictures(path, query):
    """A faceted search over pictures that do not exist: every combination of word, order, colour, format and page is one more URL."""
    if path != "/search":
        raise ValueError(path)
    facets = {"q": "image", "sort": "date", "page": "1"} | dict(part.split("=") for part in query.split("&") if part)
    page = int(facets["page"])
    draw = random.Random(repr(sorted(facets.items())))
    words = [
        "texture",
        "shader",
        "sprite",
        "portrait",
        "raster image",
        "vector drawing",
        "render",
        "gradient",
        "bitmap",
        "pixel art",
    ]
    formats, colours, orders = (
        ["png", "jpeg", "tiff", "svg"],
        ["red", "green", "blue", "grey"],
        ["date", "size", "name"],
    )

    def link(text, **changes):
        return "/search?" + "&".join(f"{key}={value}" for key, value in sorted((facets | changes).items())), text

    found = [
        f"{draw.choice(words)} {draw.randrange(10_000)}: {draw.randrange(64, 4096)} pixels wide, {draw.choice(colours)} image in "
        f"{draw.choice(formats)} format, colour depth {draw.choice([8, 16, 24])} bit"
        for _ in range(12)
    ]
    links = [link(f"images as {name}", format=name) for name in formats] + [
        link(f"{name} images", colour=name) for name in colours
    ]
    links += [link(f"sort by {name}", sort=name) for name in orders]
    links += [link(f"similar: {word}", q=word.replace(" ", "+"), page=1) for word in draw.sample(words, 4)]
    links += [link("next page", page=page + 1)]
    return f"Pictures: {facets['q']}, page {page}", ". ".join(found), links


# host -> function(path, query) giving (title, text, [(href, link text)]); ValueError or IndexError = 404
TRAPS = {"diary": diary, "pictures": pictures}
