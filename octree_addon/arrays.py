"""Array types of the add-on: flags, coordinates and ids."""

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ids = NDArray[np.intp]
