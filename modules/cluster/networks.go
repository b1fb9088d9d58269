package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/format/frontend"
	"github.com/inev-lts/inev/internal/stoppable"
)

// networkOf returns what the model of a job is made of.
func networkOf(j batch.Job) frontend.Specification {
	return frontend.Specification{
		Path:     j.Path,
		FrontEnd: j.Options.FrontEnd,
		Options:  j.Options.FrontEndOptions,
	}
}

// isNetwork reports whether inev composes the model of a job from several files.
func isNetwork(j batch.Job) bool {
	s := networkOf(j)
	return s.IsComposed() && s.Made() != ""
}

// sendModel sends the files of a job's model, and returns its digest and, for a network, those of its files. A network
// with files outside of its folder is not sent: this machine composes it.
func (r *runner) sendModel(
	ctx context.Context,
	j batch.Job,
) (digest string, parts map[string]string, err error) {
	if !isNetwork(j) {
		digest, err = r.models.send(ctx, r.store(), j.Path)
		return digest, nil, err
	}
	s := networkOf(j)
	paths, err := s.Inputs(ctx)
	if err != nil {
		return "", nil, unreadable{err}
	}
	parts = map[string]string{}
	for _, path := range paths {
		relative, err := filepath.Rel(filepath.Dir(s.Path), path)
		if err != nil || !filepath.IsLocal(relative) {
			return "", nil, unreadable{fmt.Errorf("%s is not in the folder of the network",
				path)}
		}
		if parts[filepath.ToSlash(relative)], err = r.models.send(ctx, r.store(), path); err != nil {
			return "", nil, err
		}
	}
	digest, _, err = s.Digest(ctx)
	if err != nil {
		return "", nil, unreadable{err}
	}
	return digest, parts, nil
}

// placeNetwork puts the files of a network into a folder of its own, which is removed when the job is done,
// and returns the path of the network. It fails if a file of the network can name a file outside of its
// folder.
func placeNetwork(
	ctx context.Context,
	o *order,
	fetch func(digest, path string) (string, error),
	releaseBy func(func()),
) (string, error) {
	folder, err := os.MkdirTemp("", "inev-network-")
	if err != nil {
		return "", err
	}
	releaseBy(func() { os.RemoveAll(folder) })
	for _, name := range slices.Sorted(maps.Keys(o.Parts)) {
		relative := filepath.FromSlash(name)
		if !filepath.IsLocal(relative) {
			return "", fmt.Errorf("%q is not in the folder of the network", name)
		}
		stored, err := fetch(o.Parts[name], name)
		if err != nil {
			return "", err
		}
		at := filepath.Join(folder, relative)
		if err := copyPart(ctx, stored, at); err != nil {
			return "", err
		}
		if !frontend.NamesFiles(at) {
			continue
		}
		text, err := os.ReadFile(at)
		if err != nil {
			return "", err
		}
		if _, err := frontend.OwnFiles(string(text)); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
	}
	return filepath.Join(folder, filepath.Base(o.Job.Path)), nil
}

// copyPart copies a stored file.
func copyPart(ctx context.Context, stored, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	from, err := os.Open(stored)
	if err != nil {
		return err
	}
	defer from.Close()
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, stoppable.EachRead(ctx, from))
	return errors.Join(err, file.Close())
}
