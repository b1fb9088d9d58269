package main

import (
	"os"
	"path/filepath"
)

// cacheVariable is the environment variable that names the folder in which what takes long
// to be made ready is kept.
const cacheVariable = "INEV_CACHE"

// compiledFolder returns where the compiled Graphviz is kept: the folder that the user has
// named, or else one among those that the system has for such things; empty where nothing
// is to be kept.
func compiledFolder() string {
	switch folder := os.Getenv(cacheVariable); folder {
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
