"""Topic of the steering benchmark: maps and geographic data.

Rare: about one page in twenty-five. The near misses speak of coordinates, projections, grids and maps too: astronomy, geometry in the
plane, maps of keys to values, climate files.
"""

import random

TOPIC = "maps and geographic data"
KEYWORDS = r"\b(map|latitude|longitude|geograph\w*|gps)\b"
SEEDS = ["http://index.test/index.html", "http://astropy.test/index.html", "http://boost.test/index.html"]
# fmt: off
CAP = 400
CAPS = {
    "grass": 60, "gpsbabel": 50, "geographiclib": 40, "geotrans": 30, "shumate": 40, "geos": 30, "django": 450, "install": 170, "handbook": 170,
}
RELEVANT_FIRST = 30

SITES = {
    "astropy": ("python-astropy-doc", "usr/share/doc/python-astropy-doc/html", ["index.html"]),
    "boost": ("libboost1.74-doc", "usr/share/doc/libboost1.74-doc/doc/html", ["index.html"]),
    "django": ("python-django-doc", "usr/share/doc/python-django-doc/html", ["index.html"]),
    "gpsbabel": ("gpsbabel-doc", "usr/share/doc/gpsbabel/html", ["index.html"]),
    "mapproxy": ("mapproxy-doc", "usr/share/doc/mapproxy/html", ["index.html"]),
    "pyosmium": ("pyosmium-doc", "usr/share/doc/pyosmium/html", ["index.html"]),
    "osmnx": ("python-osmnx-doc", "usr/share/doc/python-osmnx-doc/html", ["index.html"]),
    "champlain": ("libchamplain-doc", "usr/share/gtk-doc/html/champlain-0.12", ["index.html"]),
    "shumate": ("libshumate-doc", "usr/share/doc/libshumate-1.0", ["index.html"]),
    "geographiclib": ("geographiclib-doc", "usr/share/doc/geographiclib/html", ["index.html"]),
    "grass": ("grass-doc", "usr/share/doc/grass-doc/html", ["index.html"]),
    "geotrans": ("geotranz-doc", "usr/share/doc/geotranz-doc/API", ["index.html", "annotated.html"]),
    "geos": ("libgeos-doc", "usr/share/doc/libgeos-dev/html", ["index.html", "annotated.html"]),
    "postgis": ("postgis-doc", "usr/share/doc/postgis-doc", None),
    "astroplan": ("python-astroplan-doc", "usr/share/doc/python-astroplan-doc/html", ["index.html"]),
    "wcslib": ("wcslib-doc", "usr/share/doc/wcslib-dev/html", ["index.html"]),
    "ds9": ("saods9-doc", "usr/share/doc/saods9", ["ref/index.html", "user/index.html"]),
    "netcdf": ("netcdf-doc", "usr/share/doc/netCDF/html", ["index.html"]),
    "eccodes": ("libeccodes-doc", "usr/share/doc/libeccodes-dev", ["index.html", "annotated.html"]),
    "octave": ("octave-doc", "usr/share/doc/octave", ["octave.html/index.html"]),
    "gnuplot": ("gnuplot-doc", "usr/share/doc/gnuplot/htmldocs", ["index.html"]),
    "sympy": ("python-sympy-doc", "usr/share/doc/python-sympy-doc/html", ["index.html"]),
    "python": ("python3.11-doc", "usr/share/doc/python3.11/html", ["index.html"]),
    "glib": ("libglib2.0-doc", "usr/share/gtk-doc/html", ["glib/index.html", "gio/index.html", "gobject/index.html"]),
    "qt": ("qtbase5-doc-html", "usr/share/qt5/doc", ["qtcore/qtcore-index.html", "qtnetwork/qtnetwork-index.html", "qtgui/qtgui-index.html"]),
    "ogre": ("ogre-1.12-doc", "usr/share/doc/ogre-1.12-doc/api/html", ["index.html", "annotated.html"]),
    "vigra": ("libvigraimpex-doc", "usr/share/doc/libvigraimpex-dev/html", ["index.html"]),
    "pandas": ("python-pandas-doc", "usr/share/doc/python-pandas-doc/html", ["index.html"]),
    "sqlite": ("sqlite3-doc", "usr/share/doc/sqlite3", ["index.html"]),
    "libstdcxx": ("libstdc++-12-doc", "usr/share/doc/gcc-12-base/libstdc++", ["index.html", "manual/index.html"]),
    "torrent": ("libtorrent-rasterbar-doc", "usr/share/doc/libtorrent-rasterbar-doc/html", ["index.html"]),
    "vim": ("vim-doc", "usr/share/doc/vim/html", ["index.html", "usr_toc.html"]),
    "syn": ("cargo-doc", "usr/share/doc/cargo/doc", ["syn/index.html", "proc_macro2/index.html", "quote/index.html"]),
    "xapian": ("xapian-doc", "usr/share/doc/xapian-doc", ["index.html", "apidoc/html/index.html"]),
    "scons": ("scons-doc", "usr/share/doc/scons/HTML", None),
    "install": ("installation-guide-amd64", "usr/share/doc/installation-guide-amd64", ["en/index.html", "fr/index.html", "ja/index.html"]),
    "handbook": ("debian-handbook", "usr/share/doc/debian-handbook/html", ["en-US/index.html", "fr-FR/index.html", "de-DE/index.html", "es-ES/index.html"]),
    "rproject": ("r-doc-html", "usr/share/R/doc/manual", None),
    "tornado": ("python-tornado-doc", "usr/share/doc/python-tornado-doc/html", ["index.html"]),
    "swi": ("swi-prolog-doc", "usr/share/swi-prolog/doc/Manual", ["index.html", "Contents.html"]),
}
# fmt: on

RELEVANT_SITES = [
    "gpsbabel",
    "mapproxy",
    "pyosmium",
    "osmnx",
    "champlain",
    "shumate",
    "geographiclib",
    "grass",
    "geotrans",
    "postgis",
]
RULES = {
    "gpsbabel": [
        (
            r"/(Source|Getting_and_Building|Download|Suboptions|batchfile|inifile|index|fmt_(csv|xcsv|text|html|vcard|unicsv|garmin_txt|random)|style_def\w*|styles_\w+|Styles)\.html",
            None,
        )
    ],
    "mapproxy": [(r"/(genindex|search|development|install\w*|plugins|mapproxy_2|deployment|auth)\.html", None)],
    "pyosmium": [(r"/(genindex|search)\.html", None)],
    "osmnx": [(r"/(genindex|py-modindex|search)\.html", None)],
    "champlain": [
        (
            r"/(annotation-glossary|ch0\d|ix\d+|api-index\w*|ChamplainExportable|ChamplainFileCache|ChamplainMemoryCache|.*version)\.html",
            None,
        )
    ],
    "shumate": [
        (
            r"/(const|error|enum|index|func\.(get_|check_|init)\w*|class\.(FileCache|DataSource\w*)|classes_hierarchy)[\w.]*\.html",
            None,
        )
    ],
    "geographiclib": [
        (
            r"/(annotated|classes|files|functions\w*|globals\w*|dir_\w+|hierarchy|namespace\w*|graph_legend|inherits|deprecated|todo|bug|pages|"
            r"organization|library|install|highprec|other|changes|examples|old)\.html",
            None,
        ),
        (
            r"(1_1|/)(Accumulator|Config|Constants|Math|Utility|SphericalEngine|CircularEngine|EllipticFunction|NearestNeighbor|DST|kissfft|GeographicErr)",
            None,
        ),
    ],
    "grass": [
        (
            r"/(index|keywords|topics|full_index|manual_gallery|graphical_index|helptext|variables|sql|databaseintro|grass\d*|license|copyright|"
            r"general|display|database|postscript|misc\w*|wxgui[\w.]*|db\.\w+|g\.(version|tempfile|message|findfile|filename|manual|parser|gui|ask|dirseps|cairocomp)|"
            r"cairodriver|pngdriver|psdriver|htmldriver|d\.(erase|font|fontlist|frame|graph|colorlist|mon|redraw|text|title|info|save|out\.file|linegraph|background)|"
            r"t\.\w[\w.]*|test\.\w+|topic_(graphics|display|settings|database|postscript|user_interface|GUI|printing|monitors|scripts|manual|help)|topics?)\.html",
            None,
        ),
    ],
    "geotrans": [
        (
            r"/(annotated|classes|files|functions\w*|globals\w*|dir_\w+|hierarchy|namespace\w*|graph_legend|inherits|index)\.html|/search/|xception|Error|threads|CCSThread",
            None,
        )
    ],
    "geos": [(r"", None)],
    "django": [
        (r"/ref/contrib/gis|/_modules/django/contrib/gis", 1),
    ],
    "astropy": [(r"(?i)earth|geodetic|earthlocation|geocentr", None)],
    "eccodes": [(r"", None)],
    "netcdf": [(r"(?i)coordinate|convention|attribute_conv|grid", None)],
    "octave": [(r"(?i)(Geometry|delaunay|voronoi|convhull|cart2|sph2|pol2)", 0)],
    "pandas": [(r"(?i)geo", None)],
    "astroplan": [(r"(?i)observer|site", None)],
    "sqlite": [(r"/geopoly\.html", 1), (r"/rtree\.html", None)],
    "xapian": [(r"(?i)latlong|geospatial|greatcircle", 1)],
}

EXTERNAL = [
    (r"(docs|www)\.python\.org", "python"),
    (r"docs\.djangoproject\.com", "django"),
    (r"docs\.astropy\.org|(www\.)?astropy\.org", "astropy"),
    (r"(www\.)?sqlite\.org", "sqlite"),
    (r"doc\.qt\.io", "qt"),
    (r"pandas\.pydata\.org", "pandas"),
    (r"grass\.osgeo\.org", "grass"),
    (r"(www\.)?postgis\.(net|org)", "postgis"),
    (r"developer\.gnome\.org", "glib"),
    (r"osmcode\.org|docs\.osmcode\.org", "pyosmium"),
    (r"(lib)?geos\.osgeo\.org|trac\.osgeo\.org/geos", "geos"),
    (r"docs\.sympy\.org|(www\.)?sympy\.org", "sympy"),
]

THEMES = {
    "places": [
        "gpsbabel",
        "mapproxy",
        "pyosmium",
        "osmnx",
        "champlain",
        "shumate",
        "geographiclib",
        "grass",
        "geotrans",
        "postgis",
        "geos",
    ],
    "sky": ["astropy", "astroplan", "wcslib", "ds9"],
    "numbers": ["octave", "gnuplot", "sympy", "rproject", "pandas", "netcdf", "eccodes"],
    "cpp": ["boost", "libstdcxx", "qt", "ogre", "vigra", "torrent", "xapian", "geos"],
    "web": ["django", "tornado", "python", "sqlite", "mapproxy"],
    "desktop": ["glib", "vim", "qt", "shumate", "handbook", "install"],
    "languages": ["python", "swi", "syn", "scons", "octave"],
}
HUBS = {
    "seed": 61,
    "directory": {
        "host": "index",
        "title": "Subject index",
        "home": "Subject index",
        "pages_per_theme": 5,
        "links": 26,
        "on_theme": 0.5,
    },
    "blog": {
        "host": "log",
        "title": "Log entry",
        "archive": "Log archive",
        "name": "Log",
        "posts": 380,
        "links": (3, 7),
        "on_theme": 0.55,
    },
    "traps": [
        ("Timetable", "http://timetable.test/day/738000", 6),
        ("Search places on the map", "http://places.test/search?lat=48&lon=11&zoom=5", 5),
    ],
}

ROBOTS = "User-agent: *\nDisallow: /genindex\nDisallow: /_sources/\n"
ROBOTS_OF = {
    "places": "User-agent: *\nDisallow: /edit\n",
    "osmnx": "User-agent: *\nCrawl-delay: 1\n",
    "grass": "User-agent: *\nDisallow: /*wxGUI\n",
    "astropy": "User-agent: *\nDisallow: /_modules/\nAllow: /_modules/astropy/units/\n",
    "django": "User-agent: *\nDisallow: /_modules/\nDisallow: /releases/\n",
    "boost": "",
}
SITEMAPS = ["astropy", "mapproxy", "sqlite", "boost", "ds9"]


def timetable(path, query):
    """An endless timetable: a page a day, counted from the year 1, with the days and weeks around it."""
    day = int(path.removeprefix("/day/"))
    links = [(f"/day/{day + step}", f"{step:+d} days") for step in (-365, -30, -7, -3, -2, -1, 1, 2, 3, 7, 30, 365)]
    links += [(f"/day/{day}?hour={hour}", f"{hour}:00") for hour in range(6, 22)]
    return f"Day {day}", "No departures. " + query.replace("=", " "), links


def places(path, query):
    """A map of places that do not exist: every step north, east or closer is one more page of invented villages."""
    if path != "/search":
        raise ValueError(path)
    values = {"lat": 0, "lon": 0, "zoom": 5} | {
        key: int(value) for key, value in (part.split("=") for part in query.split("&") if part)
    }
    lat, lon, zoom = values["lat"], values["lon"], values["zoom"]
    draw = random.Random(f"{lat} {lon} {zoom}")
    names = (
        ["Alt", "Birken", "Cold", "Dun", "Elm", "Fair", "Glen", "Hazel"],
        ["ford", "ham", "mouth", "stead", "ton", "wick"],
    )
    kinds = ["village", "viewpoint", "GPS waypoint", "map tile", "trail", "boundary", "survey point"]
    found = []
    for _ in range(12):
        name = draw.choice(names[0]) + draw.choice(names[1])
        found.append(
            f"{name}, {draw.choice(kinds)} at latitude {lat + draw.random():.4f} longitude {lon + draw.random():.4f}, "
            f"shown on the map at zoom {zoom}, geographic grid {draw.randrange(60)}"
        )
    links = [
        (f"/search?lat={lat + north}&lon={lon + east}&zoom={zoom}", f"map to the {name}")
        for name, north, east in (("north", 1, 0), ("south", -1, 0), ("east", 0, 1), ("west", 0, -1))
    ]
    links += [
        (f"/search?lat={lat}&lon={lon}&zoom={zoom + step}", text)
        for step, text in ((1, "map closer"), (-1, "map wider"))
    ]
    links += [
        (
            f"/search?lat={draw.randrange(-90, 90)}&lon={draw.randrange(-180, 180)}&zoom={zoom}",
            f"map of {draw.choice(names[0])}{draw.choice(names[1])}",
        )
        for _ in range(4)
    ]
    return f"Map at latitude {lat}, longitude {lon}", ". ".join(found), links


# host -> function(path, query) giving (title, text, [(href, link text)]); ValueError or IndexError = 404
TRAPS = {"timetable": timetable, "places": places}
