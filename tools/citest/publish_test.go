package citest

import (
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/inev-lts/inev/internal/testing/golden"
)

// library is the module that the other modules require.
const library = "github.com/inev-lts/inev"

// modulesOfTheTree returns the folders of the modules that users may install, with the root's, from the top.
func modulesOfTheTree(t *testing.T) []string {
	t.Helper()
	found, err := fs.Glob(os.DirFS(top), "modules/*/go.mod")
	if err != nil || len(found) == 0 {
		t.Fatalf("there are no modules: %v", err)
	}
	folders := []string{"."}
	for _, file := range found {
		folders = append(folders, strings.TrimSuffix(file, "/go.mod"))
	}
	return folders
}

// TestModulesAreForOneVersion: what users install by its version has no replacement in go.mod, which the go command would
// refuse, and all that names the version of the tree names the same.
func TestModulesAreForOneVersion(t *testing.T) {
	for _, folder := range modulesOfTheTree(t)[1:] {
		name := filepath.Join(top, folder, "go.mod")
		mod, err := modfile.Parse(name, []byte(read(t, name)), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(mod.Replace) > 0 {
			t.Errorf("%s replaces %s", name, mod.Replace[0].Old)
		}
		for _, r := range mod.Require {
			if r.Mod.Path == library && r.Mod.Version != "v"+pretended {
				t.Errorf("%s requires %s", name, r.Mod)
			}
		}
		name = filepath.Join(top, folder, "go.work")
		work, err := modfile.ParseWork(name, []byte(read(t, name)), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(work.Replace) != 1 || work.Replace[0].Old != (module.Version{Path: library, Version: "v" + pretended}) {
			t.Errorf("%s replaces %+v", name, work.Replace)
		}
	}
	said, err := golden.Command(t, filepath.Join(top, ".ci/version")).CombinedOutput()
	if err != nil || strings.TrimSpace(string(said)) != "v"+pretended {
		t.Errorf(".ci/version: %v\n%s", err, said)
	}
	for version, want := range map[string]string{
		"1.2.3":   "usage: .ci/version [v1.2.3]",
		"v2.0.0":  "the path of a module of v2.0.0 ends in /v2",
		"v10.1.0": "the path of a module of v10.1.0 ends in /v10",
	} {
		said, err := golden.Command(t, filepath.Join(top, ".ci/version"), version).CombinedOutput()
		if err == nil || !strings.Contains(string(said), want) {
			t.Errorf(".ci/version %s: %v\n%s", version, err, said)
		}
	}
}

// TestCommandsOfModulesInstall asks the go command how it would install each command by its version, from a proxy that
// has the tree's modules by the tags of a release, and of all others what has been downloaded.
func TestCommandsOfModulesInstall(t *testing.T) {
	said, err := golden.Command(t, "go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	downloaded := filepath.Join(strings.TrimSpace(string(said)), "cache", "download")
	proxy := t.TempDir()
	var commands []string
	for _, folder := range modulesOfTheTree(t) {
		m := module.Version{Path: library, Version: "v" + pretended}
		if folder != "." {
			m.Path += "/" + folder
		}
		publishModule(t, proxy, filepath.Join(top, folder), m)
		mains, err := fs.Glob(os.DirFS(filepath.Join(top, folder)), "cmd/*/main.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, main := range mains {
			commands = append(commands, m.Path+"/"+strings.TrimSuffix(main, "/main.go"))
		}
	}
	if len(commands) < 5 {
		t.Errorf("there are only the commands %q", commands)
	}
	// A cache of its own, which must not have the version before it is out.
	cache := t.TempDir()
	for _, command := range commands {
		install := golden.Command(t, "go", "install", "-n", command+"@v"+pretended)
		install.Dir = t.TempDir()
		install.Env = append(os.Environ(), "GOFLAGS=-modcacherw", "GOMODCACHE="+cache, "GOSUMDB=off", "GOWORK=",
			"GOPROXY=file://"+filepath.ToSlash(proxy)+",file://"+filepath.ToSlash(downloaded)+",off")
		if said, err := install.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%.2000s", command, err, said)
		}
	}
}

// publishModule writes to the folder of a proxy what it says about a version of a module: go.mod, and the sources as the go
// command packs them.
func publishModule(t *testing.T, proxy, folder string, m module.Version) {
	t.Helper()
	to := filepath.Join(proxy, filepath.FromSlash(m.Path), "@v")
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	packed, err := os.Create(filepath.Join(to, m.Version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	if err := zip.CreateFromDir(packed, m, folder); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"list":              m.Version + "\n",
		m.Version + ".mod":  read(t, filepath.Join(folder, "go.mod")),
		m.Version + ".info": `{"Version": "` + m.Version + `"}`,
	} {
		if err := os.WriteFile(filepath.Join(to, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPackagesHaveWhatBelongsToThem: Debian's and Red Hat's have the programs' manual page, and a script for each shell of
// Linux where the system looks for it.
func TestPackagesHaveWhatBelongsToThem(t *testing.T) {
	r := readRelease(t)
	if len(r.Nfpms) != 1 || !slices.Equal(r.Nfpms[0].Formats, []string{"deb", "rpm"}) {
		t.Fatalf("packages are %+v", r.Nfpms)
	}
	for _, packager := range r.Nfpms[0].Formats {
		var places []string
		for _, c := range r.Nfpms[0].Contents {
			if c.Packager != "" && c.Packager != packager {
				continue
			}
			places = append(places, c.Dst)
			made := strings.HasPrefix(c.Src, "release/") && strings.Contains(strings.Join(r.Before.Hooks, "\n"), "> "+c.Src)
			if _, err := os.Stat(filepath.Join(top, c.Src)); err != nil && !made {
				t.Errorf("nothing makes %s", c.Src)
			}
		}
		for _, want := range []string{"/man/man1/inev.1.gz", "/bash-completion/completions/inev", "/_inev", "/inev.fish", "/copyright"} {
			if !slices.ContainsFunc(places, func(p string) bool { return strings.HasSuffix(p, want) }) {
				t.Errorf("%s: nothing is at %s", packager, want)
			}
		}
	}
}

// TestCaskHasWhatArchivesHave: the paths of the manual page and of the completion that Homebrew is told are those of files in
// the archives of each system.
func TestCaskHasWhatArchivesHave(t *testing.T) {
	r := readRelease(t)
	if len(r.Casks) != 1 {
		t.Fatalf("casks are %+v", r.Casks)
	}
	cask := r.Casks[0]
	moved := regexp.MustCompile(`(?m)^rename "(.+)", "(.+)"\nmanpage "(.+)"$`).FindStringSubmatch(cask.CustomBlock)
	if moved == nil || moved[2] != moved[3] {
		t.Fatalf("the manual page is not moved and named in\n%s", cask.CustomBlock)
	}
	var inArchive []string // the destinations and sources of what archives have beside the programs
	for _, file := range r.Archives[0].Files {
		var placed struct{ Src, Dst string }
		if file.Decode(&placed) == nil && placed.Dst != "" {
			inArchive = append(inArchive, path.Join(placed.Dst, path.Base(placed.Src)))
		}
	}
	for _, system := range []string{"darwin", "linux"} {
		for _, machine := range []string{"arm64", "amd64"} {
			folder := strings.NewReplacer("{{ .ProjectName }}", "inev", "{{ .Version }}", "1.0.0", "{{ .Os }}", system, "{{ .Arch }}", machine).Replace(r.Archives[0].NameTemplate)
			inCask := strings.NewReplacer("#{version}", "1.0.0", "#{os}", system, "#{arch}", machine)
			wanted := map[string]string{"manual page": moved[1]}
			for shell, at := range cask.Completions {
				wanted[shell] = inCask.Replace(at)
			}
			if len(wanted) != 4 {
				t.Errorf("the cask has %v", wanted)
			}
			for what, pattern := range wanted {
				isThere := slices.ContainsFunc(inArchive, func(file string) bool {
					if dir := path.Dir(file); path.Base(file) == "*" { // the scripts of all shells
						file = path.Join(dir, path.Base(pattern))
					}
					matches, err := path.Match(pattern, path.Join(folder, file))
					return err == nil && matches
				})
				if !isThere {
					t.Errorf("%s: %s is not among %v in %s", what, pattern, inArchive, folder)
				}
			}
		}
	}
}

// TestMaintainerIsToldWhatIsTrue: CONTRIBUTING tags all modules, pushes the tag that starts the release by itself, since GitHub
// starts nothing for more than three tags at once, and names the publisher that the extension names. Once there is a release, no
// page says what to do until then.
func TestMaintainerIsToldWhatIsTrue(t *testing.T) {
	_, release, _ := strings.Cut(read(t, filepath.Join(top, "CONTRIBUTING.md")), "\n## A release\n")
	var names []string
	for _, folder := range modulesOfTheTree(t)[1:] {
		names = append(names, strings.TrimPrefix(folder, "modules/"))
	}
	tags := "modules/{" + strings.Join(names, ",") + "}/\"$version\""
	for _, want := range []string{"for tag in " + tags + " \"$version\"; do git tag", "git push origin " + tags + "\n", "   git push origin \"$version\"\n"} {
		if !strings.Contains(release, want) {
			t.Errorf("CONTRIBUTING lacks %s", want)
		}
	}
	if strings.Contains(release, "--tags") {
		t.Error("CONTRIBUTING pushes all tags at once")
	}
	before := pagesBeforeARelease(t)
	hasRelease := regexp.MustCompile(`(?m)^## \[v?\d`).MatchString(read(t, filepath.Join(top, "CHANGELOG.md")))
	if hasRelease == (len(before) > 0) {
		t.Errorf("CHANGELOG has a release: %t; pages that say what to do until a release is out: %v", hasRelease, before)
	}
	for _, page := range before {
		if !strings.Contains(release, page) {
			t.Errorf("CONTRIBUTING does not say that the first release changes %s", page)
		}
	}
	var extension struct{ Publisher string }
	if err := json.Unmarshal([]byte(read(t, filepath.Join(top, "modules", "editor", "vscode", "package.json"))), &extension); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(release, "the publisher `"+extension.Publisher+"`") {
		t.Errorf("CONTRIBUTING names another publisher than %s", extension.Publisher)
	}
}

// pagesBeforeARelease returns the documents that say what to do until a release is out, from the top.
func pagesBeforeARelease(t *testing.T) (pages []string) {
	t.Helper()
	err := filepath.WalkDir(top, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git"):
			return fs.SkipDir
		case filepath.Ext(file) != ".md" || entry.Name() == "CONTRIBUTING.md":
			return nil
		}
		if strings.Contains(read(t, file), "release is out") {
			page, err := filepath.Rel(top, file)
			if err != nil {
				return err
			}
			pages = append(pages, filepath.ToSlash(page))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// TestImagesOfReleases: each image has the programs that GoReleaser gives it, and what its Dockerfile copies is there.
func TestImagesOfReleases(t *testing.T) {
	r := readRelease(t)
	if len(r.Images) != 2 {
		t.Fatalf("images are %+v", r.Images)
	}
	for _, image := range r.Images {
		text := read(t, filepath.Join(top, image.Dockerfile))
		var programs, files []string
		for _, line := range regexp.MustCompile(`(?m)^COPY ([^-].*) \S+$`).FindAllStringSubmatch(text, -1) {
			for _, source := range strings.Fields(line[1]) {
				if program, is := strings.CutPrefix(source, "$TARGETPLATFORM/"); is {
					programs = append(programs, program)
				} else {
					files = append(files, source)
				}
			}
		}
		if !slices.Equal(programs, image.IDs) || !slices.Equal(files, image.ExtraFiles) {
			t.Errorf("%s copies %q and %q, and gets %q and %q", image.Dockerfile, programs, files, image.IDs, image.ExtraFiles)
		}
	}
}

// TestServerIsDescribed: server.json, which a registry of servers for agents reads, keeps to the registry's rules and
// names the image of the release, whose label names the server.
func TestServerIsDescribed(t *testing.T) {
	var server struct {
		Schema                     string `json:"$schema"`
		Name, Description, Version string
		Repository                 struct{ Subfolder string }
		Packages                   []struct {
			RegistryType, Identifier string
			Transport                struct{ Type string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, top+"/modules/agent/server.json")), &server); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`).MatchString(server.Name) || server.Schema == "" {
		t.Errorf("the name is %q, the schema %q", server.Name, server.Schema)
	}
	if n := len(server.Description); n == 0 || n > 100 {
		t.Errorf("the description has %d bytes", n)
	}
	image := readRelease(t).Images[1]
	if server.Version != pretended || len(server.Packages) != 1 || server.Packages[0].Identifier != image.Images[0]+":"+pretended {
		t.Errorf("%s: %+v", server.Version, server.Packages)
	}
	if p := server.Packages[0]; p.RegistryType != "oci" || p.Transport.Type != "stdio" {
		t.Errorf("the package is %+v", p)
	}
	if label := `io.modelcontextprotocol.server.name="` + server.Name + `"`; !strings.Contains(read(t, filepath.Join(top, image.Dockerfile)), label) {
		t.Errorf("%s has no label %s", image.Dockerfile, label)
	}
	if _, err := os.Stat(filepath.Join(top, server.Repository.Subfolder, "go.mod")); err != nil {
		t.Error(err)
	}
}
