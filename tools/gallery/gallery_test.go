package main

import (
	"context"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
)

const root = "../.."

// TestGalleryIsUpToDate makes everything anew but the screenshots.
func TestGalleryIsUpToDate(t *testing.T) {
	if os.Getenv("CI") != "true" && !golden.Updating() {
		t.Skip("draws all pictures, which .ci/run asks for")
	}
	files, err := makeFiles(context.Background(), root)
	if err != nil {
		t.Fatal(err)
	}
	drawn := golden.All(t, root+"/docs/gallery/*.svg", root+"/docs/gallery.md")
	for name, made := range files {
		drawn.Check(t, filepath.Join(root, "docs", name), made)
	}
	for _, s := range subjects() {
		files[s.picture("page.png")] = nil
	}
	// Small enough for everybody who clones the repository.
	const most = 13 << 18
	size := int64(0)
	err = fs.WalkDir(os.DirFS(filepath.Join(root, "docs")), "gallery", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if _, made := files[name]; !made && filepath.Ext(name) != ".svg" {
			t.Errorf("docs/%s is not made by anything: remove it", name)
		}
		info, err := entry.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil || size > most {
		t.Errorf("docs/gallery has %d bytes (error %v)", size, err)
	}
}

func TestScreenshotsAreThere(t *testing.T) {
	for _, s := range subjects() {
		f, err := os.Open(filepath.Join(root, "docs", s.picture("page.png")))
		if err != nil {
			t.Error(err)
			continue
		}
		shot, err := png.DecodeConfig(f)
		f.Close()
		if err != nil || shot.Width != screenWidth || shot.Height != screenHeight {
			t.Errorf("%s: %d by %d pixels, error %v", s.folder, shot.Width, shot.Height, err)
		}
	}
}

// TestSubjects: every example is shown, by a property that its folder knows.
func TestSubjects(t *testing.T) {
	shown := map[string]bool{}
	for _, s := range subjects() {
		shown[s.folder] = true
		file, said := strings.TrimSuffix(s.model, ".aut")+".inev", "\n"+s.formula+"\n"
		switch {
		case s.specification != "":
			file, said = s.specification, "\n"+s.formula+" == "
		case filepath.Ext(s.model) == ".dot":
			file, said = "Jugs.tla", " == "+s.formula+"\n"
		}
		known, err := os.ReadFile(filepath.Join(root, "examples", s.folder, file))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains("\n"+string(known), said) {
			t.Errorf("%s is no formula of the example %s", s.formula, s.folder)
		}
		for _, v := range s.views {
			if _, err := v.options(); err != nil {
				t.Error(err)
			}
		}
	}
	folders, err := filepath.Glob(filepath.Join(root, "examples", "*", "main.go"))
	if err != nil || len(folders) < 10 {
		t.Fatalf("%d examples, error %v", len(folders), err)
	}
	for _, file := range folders {
		if name := filepath.Base(filepath.Dir(file)); !shown[name] {
			t.Errorf("the example %s is not in the gallery", name)
		}
	}
}
