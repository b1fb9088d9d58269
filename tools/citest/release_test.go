package citest

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// release is the part of GoReleaser's configuration that decides what people get.
type release struct {
	Version int
	Builds  []struct {
		Main, Binary         string
		Env, Flags, Ldflags  []string
		Goos, Goarch, Ignore []string
	}
	Archives []struct {
		Files []yaml.Node
	}
	Checksum map[string]string
}

func readRelease(t *testing.T) release {
	t.Helper()
	var r release
	if err := yaml.Unmarshal([]byte(read(t, top+"/.goreleaser.yaml")), &r); err != nil {
		t.Fatal(err)
	}
	if r.Version != 2 || len(r.Builds) != 1 || len(r.Archives) != 1 {
		t.Fatalf("%+v", r)
	}
	return r
}

// TestRelease: static programs for these systems, with what belongs to them.
func TestRelease(t *testing.T) {
	r := readRelease(t)
	build := r.Builds[0]
	for _, c := range []struct{ got, want []string }{
		{build.Env, []string{"CGO_ENABLED=0"}},
		{build.Flags, []string{"-trimpath"}},
		{build.Goos, []string{"linux", "darwin", "windows"}},
		// Where an int has 32 bits, inev does not compile.
		{build.Goarch, []string{"amd64", "arm64"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	if !strings.Contains(strings.Join(build.Ldflags, " "), "-X main.release=v{{ .Version }}") {
		t.Errorf("the linker is told %q", build.Ldflags)
	}
	if r.Checksum["algorithm"] != "sha256" {
		t.Errorf("checksums are %v", r.Checksum)
	}
	var files []string
	for _, node := range r.Archives[0].Files {
		var file struct{ Src string }
		if err := node.Decode(&file); err != nil {
			file.Src = node.Value
		}
		files = append(files, file.Src)
	}
	want := []string{"LICENSE", "README.md", "THIRD_PARTY.md", "CHANGELOG.md", "release/inev.1", "cmd/inev/completion/*"}
	if !slices.Equal(files, want) {
		t.Errorf("archives have %q, want %q", files, want)
	}
	for _, file := range want[:4] {
		if _, err := os.Stat(top + "/" + file); err != nil {
			t.Error(err)
		}
	}
}

// TestCompilesForOtherSystems: one of each kind.
func TestCompilesForOtherSystems(t *testing.T) {
	if os.Getenv("CI") != "true" {
		t.Skip("compiles inev for three systems, which .ci/run asks for")
	}
	for _, target := range []string{"windows/amd64", "darwin/arm64", "linux/arm64"} {
		system, architecture, _ := strings.Cut(target, "/")
		build := exec.Command("go", "build", "-o", os.DevNull, "./cmd/inev")
		build.Dir = top
		build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+architecture)
		if out, err := build.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", target, err, out)
		}
	}
}
