package editor

import (
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
)

// pathOf returns the path of a file, "" if the address names no file of this machine.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" && len(path) > 2 && path[0] == '/' && path[2] == ':' { // /C:/Users
		path = strings.ToUpper(path[1:2]) + path[2:]
	}
	switch {
	case u.Host == "" || u.Host == "localhost":
	case runtime.GOOS == "windows":
		path = "//" + u.Host + path
	default:
		return ""
	}
	return filepath.FromSlash(path)
}

// uriOf is the inverse of pathOf.
func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
