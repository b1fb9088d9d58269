package wording

import (
	"os"
	"path/filepath"
)

// CacheVariable is the environment variable that names the folder for files that take long to
// make.
const CacheVariable = "INEV_CACHE"

// CompiledFolder returns the folder for the compiled Graphviz: that of [CacheVariable], or else
// one in the cache folder of the system; "" if nothing is to be kept.
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
