package wording

import (
	"os"
	"path/filepath"
)

// CacheVariable is the environment variable with the folder for files that take long to make.
const CacheVariable = "INEV_CACHE"

// CompiledFolder returns the folder for the compiled Graphviz: the value of [CacheVariable] or,
// without it, a folder in the cache folder of the system; "" if nothing must be kept.
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
