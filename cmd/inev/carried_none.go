//go:build !engine && !js

package main

import "io/fs"

// carried is nil: a build without the tag engine does not have inev for browsers.
var carried fs.FS
