package frontend

import (
	"errors"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/inev-lts/inev/format"
)

// networkIncludes are the suffixes of files that a network may name.
var networkIncludes = []string{
	".exp",
	".bcg",
	".aut",
	".fc2",
	".seq",
	".ren",
	".rename",
	".hid",
	".hide",
	".cut",
	".sync",
	".lts",
	".fsm",
	".clts",
}

// mentioned matches the words of a specification that may name files, and texts
// in quotes, which may have blanks.
var mentioned = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"[^"\n]+"|<[^<>\n]+>|[A-Za-z0-9_./\\-]+`)
})

// drive matches the beginning of a path of Windows that has the letter of a drive.
var drive = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"[A-Za-z]:`)
})

// errOutside is the error of a network that is to have all its files in its folder.
var errOutside = errors.New("it may name files outside of its folder, by an absolute path or ../, and those are not read here: put the network above its files, or compose it first by inev convert")

// OwnFiles returns the names of files that the text of a network, or of a file that a network
// includes, may name. They are relative to the folder of the text, and few of the files exist. It
// fails if the text can name a file that is not in its folder or one below it: names without quotes
// have no slashes, and of a text in quotes no escape sequence makes a slash or a dot.
func OwnFiles(text string) ([]string, error) {
	isAbsolute := strings.Contains(text, `"/`) || drive().MatchString(text) ||
		runtime.GOOS == "windows" && strings.Contains(text, `"\`)
	if isAbsolute || strings.Contains(strings.ReplaceAll(text, `\`, "/"), "../") {
		return nil, errOutside
	}
	seen := map[string]bool{}
	var names []string
	for _, found := range mentioned().FindAllString(text, -1) {
		for _, name := range namesMeantBy(found, networkIncludes) {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// NamesFiles reports whether a file of a network may name others, by its own name.
func NamesFiles(path string) bool { return !isModel(path) }

// isModel reports whether the suffix of a file is that of a model. A model names no other files, and
// may be large.
func isModel(path string) bool {
	return slices.Contains([]string{".aut", ".bcg", ".clts", ".fc2", ".fsm", ".lts", ".seq"},
		format.Suffix(path))
}

// namesMeantBy returns the names of files that a word of a specification may mean: the word, if it has
// one of the suffixes or stands in quotes, or the word with each of the suffixes.
func namesMeantBy(word string, suffixes []string) (names []string) {
	name := strings.Trim(word, `"<>`)
	if name == "" || slices.Contains(suffixes, format.Suffix(name)) {
		return []string{name}
	}
	if name != word {
		names = []string{name}
	}
	for _, suffix := range suffixes {
		names = append(names, name+suffix)
	}
	return names
}
