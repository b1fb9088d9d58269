package house

import (
	"errors"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/packages"
)

// goModFiles are the requirements of the modules of the project.
var goModFiles = []string{"go.mod", "tools/go.mod", "modules/symbolic/go.mod", "modules/cluster/go.mod", "modules/agent/go.mod", "modules/editor/go.mod", "modules/proof/go.mod"}

// TestIndirectModulesAreNamed: what the modules that are asked for bring along is named with them.
func TestIndirectModulesAreNamed(t *testing.T) {
	text, err := os.ReadFile("THIRD_PARTY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, behind, found := strings.Cut(string(text), "\n## Behind these\n")
	if !found {
		t.Fatal("THIRD_PARTY.md has no section on what is behind these")
	}
	// The version of a module is no part of its name there.
	indirect := regexp.MustCompile(`(?m)^(?:require )?\t?(\S+\.\S+?/\S+?)(?:/v\d+)? v\S+ // indirect$`)
	direct := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+\.[^|]+/[^|]+) \|`).FindAllStringSubmatch(string(text), -1) {
		for _, module := range strings.Split(row[1], ", ") {
			direct[regexp.MustCompile(`/v\d+$`).ReplaceAllString(module, "")] = true
		}
	}
	modules := 0
	for _, file := range goModFiles {
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			t.Skip(err) // the tools are not in the module as it is downloaded
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, required := range indirect.FindAllStringSubmatch(string(text), -1) {
			modules++
			if name := regexp.MustCompile(regexp.QuoteMeta(required[1]) + `(?:/v\d+)?[ ,;.\n]`); !direct[required[1]] && !name.MatchString(behind) {
				t.Errorf("%s has %s, which THIRD_PARTY.md does not name", file, required[1])
			}
		}
	}
	if modules < 50 {
		t.Errorf("only %d modules were found", modules)
	}
}

// TestModulesHaveOneVersion: what several modules of the project require, directly or not, they require in one version, so
// that what is tested in one of them is what runs in the others.
func TestModulesHaveOneVersion(t *testing.T) {
	requirement := regexp.MustCompile(`(?m)^(?:require )?\t?(\S+\.\S+/\S+) (v\S+)(?: // indirect)?$`)
	type place struct{ file, version string }
	first := map[string]place{}
	for _, file := range goModFiles {
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			t.Skip(err) // the tools are not in the module as it is downloaded
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, required := range requirement.FindAllStringSubmatch(string(text), -1) {
			name, version := required[1], required[2]
			if name == packages.Module {
				continue
			}
			before, known := first[name]
			if !known {
				first[name] = place{file: file, version: version}
				continue
			}
			if before.version != version {
				t.Errorf("%s requires %s %s, and %s %s", before.file, name, before.version, file, version)
			}
		}
	}
	if len(first) < 50 {
		t.Errorf("only %d modules were found", len(first))
	}
}

// TestThirdPartyModulesAreListed: whatever a module of the project asks for itself has
// a row that says under which licence and why; and there are no other rows.
func TestThirdPartyModulesAreListed(t *testing.T) {
	text, err := os.ReadFile("THIRD_PARTY.md")
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(text), "\n## Modules that were tried and rejected\n")
	listed := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+\.[^|]+/[^|]+) \|`).FindAllStringSubmatch(before, -1) {
		for _, module := range strings.Split(row[1], ", ") {
			listed[module] = false
		}
	}
	direct := regexp.MustCompile(`(?m)^(?:require )?\t?(\S+\.\S+/\S+) v\S+$`)
	for _, file := range goModFiles {
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			t.Skip(err) // the tools are not in the module as it is downloaded
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, required := range direct.FindAllStringSubmatch(string(text), -1) {
			name := required[1]
			if name == packages.Module {
				continue
			}
			if _, is := listed[name]; !is {
				t.Errorf("%s asks for %s, of which THIRD_PARTY.md says nothing", file, name)
			}
			listed[name] = true
		}
	}
	for name, used := range listed {
		if !used {
			t.Errorf("THIRD_PARTY.md lists %s, which no go.mod asks for", name)
		}
	}
}
