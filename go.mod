module github.com/inev-lts/inev

go 1.23.0

require (
	github.com/agnivade/levenshtein v1.2.0
	github.com/emicklei/dot v1.6.2
	github.com/klauspost/compress v1.18.0
	github.com/mattn/go-isatty v0.0.20
	github.com/rogpeppe/go-internal v1.14.1
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.1
	github.com/urfave/cli/v2 v2.27.7
	gonum.org/v1/gonum v0.16.0
	pgregory.net/rapid v1.2.0
)

require (
	github.com/cpuguy83/go-md2man/v2 v2.0.7 // indirect
	github.com/russross/blackfriday/v2 v2.1.0 // indirect
	github.com/xrash/smetrics v0.0.0-20240521201337-686a1a2994c1 // indirect
	golang.org/x/sys v0.26.0 // indirect
	golang.org/x/text v0.23.0 // indirect
	golang.org/x/tools v0.26.0 // indirect
)
