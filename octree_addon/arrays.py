"""Array types of the add-on: flags, coordinates and ids; the value of unused persistent ids."""

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ids = NDArray[np.intp]
UNUSED = 2**31 - 1  # value of unused numbers of a persistent id
