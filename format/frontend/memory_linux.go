package frontend

import (
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// groupOf returns how much memory the programs of a process group take, from
// /proc, and whether any of them runs.
func groupOf(proc fs.FS, group int) (bytes int64, runs bool) {
	entries, err := fs.ReadDir(proc, ".")
	if err != nil {
		return 0, false
	}
	page := int64(os.Getpagesize())
	for _, e := range entries {
		if name := e.Name(); name[0] < '0' || name[0] > '9' {
			continue
		}
		text, err := fs.ReadFile(proc, e.Name()+"/stat")
		if err != nil {
			continue // it has ended
		}
		// The fields after the name, which may contain any characters, are
		// state, parent, group and so on; the 22nd is the size.
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		const state, inGroup, resident = 0, 2, 21
		if len(fields) <= resident || fields[inGroup] != strconv.Itoa(group) {
			continue
		}
		runs = runs || fields[state] != "Z" && fields[state] != "X"
		if pages, err := strconv.ParseInt(fields[resident], 10, 64); err == nil {
			bytes += pages * page
		}
	}
	return bytes, runs
}
