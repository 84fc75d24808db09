"""Types of the arrays that the add-on passes on: numbers, flags and coordinates."""

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ids = NDArray[np.intp]
