"""Stand-ins for the real data: small, generated, in the very format of the originals, and always called embedded."""

from neuralese.data.embedded import colors

GENERATORS = {"colors": colors.write}
