"""Feature groups: what stands around the core. Each package defines a :class:`corpuskit.plugins.FeatureGroup`.

The core imports none of them; the entry points ``corpuskit.features`` name them.
"""
