"""Stand-ins for the real data: small, generated, in the very format of the originals, and always called embedded."""

from neuralese.data.embedded import birds, colors, driving

GENERATORS = {"colors": colors.write, "birds": birds.write, "driving": driving.write}
