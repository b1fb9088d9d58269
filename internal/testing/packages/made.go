package packages

import (
	"fmt"
	"path"
	"strings"
)

// Module is the path of the module.
const Module = "github.com/inev-lts/inev"

// Overview returns the file with the package comment of the root, with its list
// of packages replaced by a list of all packages for users. It fails if the file
// has no list.
func Overview(folders []Folder, file string) (string, error) {
	var list strings.Builder
	for _, f := range folders {
		for _, p := range f.Packages {
			if p.Public() {
				list.WriteString(wrapped("//   - ", "//     ", fmt.Sprintf("[%s/%s]: %s", Module, p.Name, strings.ReplaceAll(p.Is, "`", ""))))
			}
		}
	}
	return replaced(file, "//   - [", "//\n// ", list.String())
}

// wrapped breaks a text into lines of up to 90 characters, if words allow it.
func wrapped(first, next, text string) string {
	var b strings.Builder
	line := first
	for i, word := range strings.Fields(text) {
		if i > 0 && len([]rune(line))+len([]rune(word)) >= 90 {
			b.WriteString(line + "\n")
			line = next
		} else if i > 0 {
			line += " "
		}
		line += word
	}
	return b.String() + line + "\n"
}

const (
	header = "| folder | what it is for | packages inside | the invariant inside |\n| --- | --- | --- | --- |\n"
	// The calls of the race detector in .ci/run are between these lines.
	runsBegin = "# Made from the table of packages: all that start a goroutine.\n"
	runsEnd   = "# The end of what is made.\n"
)

// Rows returns docs/architecture.md with its rows replaced by a row for each
// folder. It fails if the file has none.
func Rows(folders []Folder, file string) (string, error) {
	rows := strings.Builder{}
	rows.WriteString(header)
	for _, f := range folders {
		var inside []string
		keeps := ""
		for _, p := range f.Packages {
			switch name := strings.TrimPrefix(p.Name, f.Name+"/"); {
			case p.Name == f.Name:
				keeps = p.Keeps
			case path.Base(p.Name) == "*":
			default:
				inside = append(inside, "`"+name+"`")
			}
		}
		fmt.Fprintf(&rows, "| `%s` | %s | %s | %s |\n", f.Name, f.For, dash(strings.Join(inside, ", ")), dash(keeps))
	}
	return replaced(file, header, "\n\n", strings.TrimSuffix(rows.String(), "\n"))
}

// dash returns a dash for an empty text.
func dash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

// Runs returns .ci/run with its calls of the race detector replaced. It fails if
// the file has none.
func Runs(folders []Folder, file string) (string, error) {
	const race = "CGO_ENABLED=1 go test -short -race"
	all, some := "", ""
	var unraced []string
	for _, f := range folders {
		for _, p := range f.Packages {
			switch p.Races {
			case "":
			case "all":
				all += " ./" + p.Name
				if p.Unraced != "" {
					unraced = append(unraced, p.Unraced)
				}
			default:
				some += fmt.Sprintf("%s -run '%s' ./%s\n", race, p.Races, p.Name)
			}
		}
	}
	if len(unraced) > 0 {
		all = " -skip '" + strings.Join(unraced, "|") + "'" + all
	}
	return replaced(file, runsBegin, runsEnd, runsBegin+race+all+"\n"+some)
}

// replaced returns a text with part instead of the text from first up to the next occurrence of
// after.
func replaced(text, first, after, part string) (string, error) {
	before, rest, begins := strings.Cut(text, first)
	_, rest, ends := strings.Cut(rest, after)
	if !begins || !ends {
		return "", fmt.Errorf("there is no part that begins with %q and ends before %q", first, after)
	}
	return before + part + after + rest, nil
}
