//go:build !engine && !js

package main

import "io/fs"

// carried is nil: what is built without the tag engine does not carry it.
var carried fs.FS
