"""Where processes that tests start find Parley and the tests: in the checkout of the tests."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).parents[3]
# the installed Parley may be that of another checkout, which changes meanwhile
OWN_CODE: Final = os.pathsep.join([str(_ROOT / "src"), str(_ROOT)])
