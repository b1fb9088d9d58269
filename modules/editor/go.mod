module github.com/inev-lts/inev/modules/editor

go 1.26.0

require (
	github.com/inev-lts/inev v1.0.0
	github.com/sourcegraph/jsonrpc2 v0.2.3
	pgregory.net/rapid v1.3.0
)

require (
	codeberg.org/go-fonts/liberation v0.6.0 // indirect
	git.sr.ht/~sbinet/gg v0.8.0 // indirect
	github.com/agnivade/levenshtein v1.2.2 // indirect
	github.com/emicklei/dot v1.6.2 // indirect
	github.com/go-json-experiment/json v1.27.2 // indirect
	github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0 // indirect
	github.com/klauspost/compress v1.20.4 // indirect
	github.com/klauspost/pgzip v1.3.0 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/tetratelabs/wazero v1.12.0 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/image v0.48.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/text v0.44.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
)
