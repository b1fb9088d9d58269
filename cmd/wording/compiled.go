package wording

import (
	"os"
	"path/filepath"
)

// CacheVariable is the environment variable that names the folder in which what takes long
// to be made ready is kept.
const CacheVariable = "INEV_CACHE"

// CompiledFolder returns where the compiled Graphviz is kept: the folder that the user has
// named, or else one among those that the system has for such things; empty if nothing
// is to be kept.
func CompiledFolder() string {
	switch folder := os.Getenv(CacheVariable); folder {
	case "off":
		return ""
	case "":
	default:
		return folder
	}
	folder, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(folder, "inev")
}
