include "selfplay.pxd"
