package batch

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// namesAtOnce is how many names of a folder are read between two looks at whether to
// go on.
const namesAtOnce = 1024

// globFiles is [filepath.Glob], which gives up with the error of ctx once that is done:
// a pattern such as /*/*/*.aut can go through a whole disk. The names in a
// folder are sorted. One that cannot be read has nothing in it.
func globFiles(ctx context.Context, pattern string) ([]string, error) {
	if pattern == "" {
		return nil, nil
	}
	volume := filepath.VolumeName(pattern)
	rest := pattern[len(volume):]
	base := volume
	if rest != "" && os.IsPathSeparator(rest[0]) {
		base += string(filepath.Separator)
	}
	found := []string{base}
	levels := strings.FieldsFunc(rest, func(c rune) bool { return c < 0x80 && os.IsPathSeparator(uint8(c)) })
	for _, level := range levels {
		if _, err := filepath.Match(level, ""); err != nil {
			return nil, err
		}
	}
	for _, level := range levels {
		var next []string
		for _, folder := range found {
			names, err := matchingNames(ctx, folder, level)
			if err != nil {
				return nil, err
			}
			next = append(next, names...)
		}
		found = next
	}
	return found, nil
}

// matchingNames returns what in a folder matches a level of a pattern, with the folder.
func matchingNames(ctx context.Context, folder, level string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !hasMeta(level) {
		path := filepath.Join(folder, level)
		if _, err := os.Lstat(path); err != nil {
			return nil, nil
		}
		return []string{path}, nil
	}
	open := folder
	if open == "" {
		open = "."
	}
	if info, err := os.Stat(open); err != nil || !info.IsDir() {
		return nil, nil
	}
	f, err := os.Open(open)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	var matching []string
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		names, err := f.Readdirnames(namesAtOnce)
		for _, name := range names {
			if is, _ := filepath.Match(level, name); is {
				matching = append(matching, filepath.Join(folder, name))
			}
		}
		if err != nil {
			slices.Sort(matching)
			return matching, nil
		}
	}
}

// hasMeta reports whether a level of a pattern is more than a name. A backslash, where
// it does not separate folders, takes its meaning from the character behind.
func hasMeta(level string) bool {
	if filepath.Separator == '\\' {
		return strings.ContainsAny(level, "*?[")
	}
	return strings.ContainsAny(level, `*?[\`)
}
