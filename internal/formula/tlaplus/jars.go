package tlaplus

import (
	"archive/zip"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/inputfile"
)

// classPath are the environment variables with class paths of TLC. Modules may be in the folders and
// jars of these paths.
var classPath = [...]string{"TLA2TOOLS", "CLASSPATH"}

// moduleJars returns the folders and jars that may have modules, besides the folder of the
// specification: the entries of TLC's class paths, and the CommunityModules jars next to these entries.
func moduleJars() []string {
	var all []string
	for _, name := range classPath {
		for _, entry := range filepath.SplitList(os.Getenv(name)) {
			if entry != "" {
				all = append(all, entry)
			}
		}
	}
	for _, entry := range slices.Clone(all) {
		beside, err := filepath.Glob(filepath.Join(filepath.Dir(entry),
			"CommunityModules*.jar"))
		if err != nil {
			continue // the folder's name is no pattern
		}
		slices.Sort(beside)
		all = append(all, beside...)
	}
	return all
}

// fromJars returns the text of a module in the folders and jars of the class path, and the file that it
// was found in; false if it is in none.
func (l *loader) fromJars(name string) (file, text string, found bool) {
	for _, entry := range moduleJars() {
		abort.On(l.ctx.Err())
		if info, err := os.Stat(entry); err == nil && info.IsDir() {
			file = filepath.Join(entry, name+".tla")
			body, err := inputfile.ReadRegular(l.ctx, file, moduleLimit)
			if err == nil {
				return file, string(body), true
			}
			continue
		}
		if text, found := inJar(entry, name); found {
			return entry, text, true
		}
	}
	return "", "", false
}

// inJar returns the text of a module in a jar. A jar has modules at its root, or where TLC has its own
// modules.
func inJar(jar, name string) (text string, found bool) {
	z, err := zip.OpenReader(jar)
	if err != nil {
		return "", false
	}
	defer z.Close()
	for _, folder := range []string{"", "tla2sany/StandardModules"} {
		f, err := z.Open(path.Join(folder, name+".tla"))
		if err != nil {
			continue
		}
		body, err := io.ReadAll(io.LimitReader(f, moduleLimit.Bytes+1))
		f.Close()
		if err == nil && int64(len(body)) <= moduleLimit.Bytes {
			return string(body), true
		}
	}
	return "", false
}
