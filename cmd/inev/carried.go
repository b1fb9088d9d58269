//go:build engine && !js

package main

import (
	"embed"
	"io/fs"
)

//go:embed engine
var engineFolderInside embed.FS

// carried is the folder with inev for browsers. go -C tools run ./playground writes it before a
// release is built with the tag engine.
var carried, _ = fs.Sub(engineFolderInside, "engine")
