package citest

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// pinned is an image whose content is known by its digest; the tag is for who reads it.
var pinned = regexp.MustCompile(`^[a-z0-9./-]+:[\w.-]+@sha256:[0-9a-f]{64}$`)

// unpinned are the images without a digest, and why.
var unpinned = map[string]string{
	"scratch":                         "is empty",
	"inev-cluster:latest":             "is built from this repository",
	"inev-cluster:${VERSION:-latest}": "is built from this repository",
	"nats:2.15.3":                     "no record of its digest was at hand; docs/reliability.md says so",
}

// imagesIn returns the images that a file names, and the stages of a Dockerfile.
func imagesIn(t *testing.T, path string) (images []string) {
	t.Helper()
	text := read(t, path)
	if filepath.Base(path) == "Dockerfile" {
		var stages []string
		for _, from := range regexp.MustCompile(`(?mi)^FROM(?: --\S+)* (\S+)(?: AS (\S+))?$`).FindAllStringSubmatch(text, -1) {
			if !slices.Contains(stages, from[1]) {
				images = append(images, from[1])
			}
			stages = append(stages, from[2])
		}
		for _, from := range regexp.MustCompile(`--from=(\S+)`).FindAllStringSubmatch(text, -1) {
			if !slices.Contains(stages, from[1]) {
				images = append(images, from[1])
			}
		}
		return images
	}
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		var document yaml.Node
		if decoder.Decode(&document) != nil {
			return images // what is no YAML has tests of its own
		}
		images = append(images, imagesBelow(&document)...)
	}
}

// imagesBelow returns the images of containers and steps in a part of a document.
func imagesBelow(n *yaml.Node) (images []string) {
	for i, below := range n.Content {
		images = append(images, imagesBelow(below)...)
		if n.Kind != yaml.MappingNode || i%2 == 0 || below.Kind != yaml.ScalarNode {
			continue
		}
		key := n.Content[i-1].Value
		switch {
		case key == "image" || key == "container":
			images = append(images, below.Value)
		case key == "uses" && strings.HasPrefix(below.Value, "docker://"):
			images = append(images, strings.TrimPrefix(below.Value, "docker://"))
		}
	}
	return images
}

// TestImagesArePinned: what Docker, GitLab, GitHub, compose and Kubernetes fetch by files of the
// project is named by digest, but for what unpinned says.
func TestImagesArePinned(t *testing.T) {
	used, found := map[string]bool{}, 0
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if name == "testdata" || name == "node_modules" || name == ".git" {
				return filepath.SkipDir
			}
			return nil
		}
		if name != "Dockerfile" && filepath.Ext(name) != ".yml" && filepath.Ext(name) != ".yaml" {
			return nil
		}
		for _, image := range imagesIn(t, path) {
			found++
			if _, known := unpinned[image]; known {
				used[image] = true
			} else if !pinned.MatchString(image) {
				t.Errorf("%s: %s is not named by digest: IMAGE:TAG@sha256:…", path, image)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 10 {
		t.Errorf("%d images only", found)
	}
	for image := range unpinned {
		if !used[image] {
			t.Errorf("%s is used nowhere: take it from the list", image)
		}
	}
}
