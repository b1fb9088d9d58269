package citest

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const jenkinsFile = top + "/docs/ci/Jenkinsfile"

// jenkinsBuild is what a build by a Jenkinsfile has left.
type jenkinsBuild struct {
	said     string
	hasEnded bool  // whether all commands have succeeded
	junit    fs.FS // the file that Jenkins reads, nil without one
	archived fs.FS // the folder that Jenkins keeps, nil without one
}

// runJenkins stands in for Jenkins: it runs the commands of a Jenkinsfile as an agent does, each by a shell that shows them
// and ends at the first that fails, and then takes what the file's last part keeps.
func runJenkins(t *testing.T, project fs.FS) jenkinsBuild {
	t.Helper()
	text := read(t, jenkinsFile)
	m := newMachine(t)
	m.put(".", project)
	_, environment, _ := strings.Cut(text, "\n  environment {\n")
	environment, _, _ = strings.Cut(environment, "\n  }\n")
	for _, variable := range regexp.MustCompile(`(?m)^ *(\w+) = '(.*?)'`).FindAllStringSubmatch(environment, -1) {
		m.set(map[string]string{variable[1]: variable[2]})
	}
	commands := regexp.MustCompile(`(?s)\bsh '''(.*?)'''`).FindAllStringSubmatch(text, -1)
	if len(commands) != strings.Count(text, "\n        sh ") || len(commands) == 0 {
		t.Fatalf("%d of the commands are found", len(commands))
	}
	b := jenkinsBuild{hasEnded: true}
	for _, command := range commands {
		out, code := m.run("-xe", command[1])
		b.said += out
		if code != 0 {
			b.hasEnded = false
			break
		}
	}
	b.junit = m.take(argumentOf(t, text, "testResults"))
	b.archived = m.take(strings.TrimSuffix(argumentOf(t, text, "artifacts"), "**"))
	return b
}

// argumentOf returns an argument of a step.
func argumentOf(t *testing.T, jenkinsfile, name string) string {
	t.Helper()
	found := regexp.MustCompile(name + `: '(.*?)'`).FindStringSubmatch(jenkinsfile)
	if found == nil {
		t.Fatalf("no step has the argument %s", name)
	}
	return found[1]
}

// TestJenkinsfile: a build of what is expected succeeds, and one with a violation fails and shows it, with the pages.
func TestJenkinsfile(t *testing.T) {
	good := runJenkins(t, examples())
	if !good.hasEnded {
		t.Fatal(good.said)
	}
	results, err := fs.Sub(good.archived, "results")
	if err != nil {
		t.Fatal(err)
	}
	checkFolder(t, results)
	bad := runJenkins(t, worse(t))
	if bad.hasEnded {
		t.Errorf("the change for the worse succeeds\n%s", bad.said)
	}
	if junit := readIn(t, bad.junit, filepath.Base(argumentOf(t, read(t, jenkinsFile), "testResults"))); !strings.Contains(junit, "<failure") {
		t.Errorf("the build shows no failure:\n%s", junit)
	}
}

// TestJenkinsfileIsWellFormed: its brackets match, and nothing in its scripts is Groovy's: a dollar or a backslash in them is the
// shell's, because they are in single quotes.
func TestJenkinsfileIsWellFormed(t *testing.T) {
	text := read(t, jenkinsFile)
	code := regexp.MustCompile(`(?s)'''.*?'''|'[^'\n]*'|//[^\n]*`).ReplaceAllStringFunc(text, func(found string) string {
		if strings.Contains(found, `\`) {
			t.Errorf("Groovy reads the backslash in %s", found)
		}
		return ""
	})
	if strings.ContainsAny(code, `'"$`) {
		t.Errorf("a text is not closed, or is in double quotes:\n%s", code)
	}
	var open []rune
	closing := map[rune]rune{'}': '{', ')': '('}
	for _, r := range code {
		switch opening := closing[r]; {
		case strings.ContainsRune("{(", r):
			open = append(open, r)
		case opening == 0:
		case len(open) == 0 || open[len(open)-1] != opening:
			t.Fatalf("%c closes nothing", r)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("%q are not closed", open)
	}
	version := regexp.MustCompile(`(?m)^ *VERSION = '(\S+)'`).FindAllStringSubmatch(text, -1)
	if len(version) != 1 || version[0][1] != pretended {
		t.Errorf("lines VERSION are %q", version)
	}
}
