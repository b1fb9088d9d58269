package wholefile

import (
	"os"

	"github.com/inev-lts/inev/internal/filesystem"
)

// Lock locks a file until all handles of it are closed, or the process ends in
// whatever way. It reports whether nobody else has locked it.
func Lock(f *os.File) bool { return filesystem.Lock(f) }
