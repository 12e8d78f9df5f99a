# gpugen: make help lists the targets. Needs Go 1.26, git and make; setup brings the rest or says what to install.

SHELL      := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

GO         ?= go
FUZZTIME   ?= 20s
BENCHTIME  ?= 1s
TESTFLAGS  ?=
CROSS      ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

# The linter is built from the nested module in tools/, so that users of gpugen never see its dependencies. The file's
# name carries the pinned version: a new pin builds a new binary.
STATICCHECK := .tools/staticcheck-$(shell sed -n 's|.*honnef.co/go/tools \(v[0-9.]*\).*|\1|p' tools/go.mod 2>/dev/null)

# Modules below the root one, tools/ (which holds no package) left out.
NESTED = $(shell find . -mindepth 2 -name go.mod -not -path './.*' -not -path './tools/*' -not -path '*/testdata/*' | xargs -r -n1 dirname | sort)
# Go files of ours, goldens and hidden folders left out.
GOFILES = find . -name '*.go' -not -path './.*' -not -path '*/testdata/*'
EXAMPLES = $(shell $(GO) list -f '{{if eq .Name "main"}}{{.ImportPath}}{{end}}' ./examples/... 2>/dev/null)

# The machine with a GPU, which need not have Go.
BUNDLE_GOOS   ?= linux
BUNDLE_GOARCH ?= amd64
RANDOM_FROM   ?= 1
RANDOM_KERNELS ?= 1000

.PHONY: help setup demo build test intel-opencl random-opencl golden lint fmt-check vet staticcheck unit nested cross fuzz bench gpu-bundle gpu-random clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 14

setup: ## install the pinned NVRTCs into .nvrtc, clang 19 and PoCL, or say how
	@scripts/setup

build: ## build bin/gpugen
	$(GO) build -o bin/gpugen ./cmd/gpugen

demo: setup ## generate the examples and run each on the best device here; pictures go to demo/
	@mkdir -p bin/examples demo
	$(GO) tool gpugen generate -allow-missing ./examples/...
	@for pkg in $(EXAMPLES); do \
		name=$${pkg##*/}; \
		echo "== $$name"; \
		$(GO) build -o bin/examples/$$name $$pkg; \
		(cd demo && ../bin/examples/$$name); \
	done
	@echo "== demo/: $$(ls demo | tr '\n' ' ')"

test: setup lint unit nested cross ## everything that CI runs: lint, all tests, nested modules, other platforms

unit:
	$(GO) test -timeout 25m $(TESTFLAGS) ./...

nested: $(STATICCHECK) # what these test lies outside their modules, so the go command must keep no result
	@for dir in $(NESTED); do \
		echo "== $$dir"; \
		(cd $$dir && $(GO) vet ./... && $(CURDIR)/$(STATICCHECK) ./... && $(GO) test -count=1 $(TESTFLAGS) ./...); \
	done

cross:
	@for target in $(CROSS); do \
		echo "== vet for $$target"; \
		export GOOS=$${target%/*} GOARCH=$${target#*/} CGO_ENABLED=0; \
		$(GO) vet ./...; \
		$(GO) vet -tags gpuhost ./runtime/...; \
	done
	@echo "== tests of the runtime without drivers"
	GPUGEN_REQUIRE= $(GO) test $(TESTFLAGS) -tags gpuhost ./runtime/...

intel-opencl: ## run the OpenCL tests on Intel's driver for CPUs as well; 270 MB to download, x86-64 Linux
	@scripts/intel-opencl $(TESTFLAGS)

random-opencl: KERNELS ?= 2000
random-opencl: FROM ?= 1
random-opencl: ## run 2,000 random kernels on the OpenCL driver of this machine: KERNELS=2000 FROM=1
	GPUGEN_REQUIRE=opencl $(GO) test . -run '^TestRandomOpenCL$$' -count=1 -v -timeout 5h -random.from $(FROM) -random.opencl $(KERNELS) -random.shrink=false

golden: ## rewrite the golden files; look at the diff before you commit it
	@pkgs=$$(grep -rlE --include='*_test.go' 'flag\.Bool\("update"|^[[:space:]]+"github.com/gpugen/gpugen/internal/golden"$$' . | grep -v -e /testdata/ $(NESTED:%=-e '^%/') \
		| xargs -r -n1 dirname | sort -u); \
	[ -z "$$pkgs" ] || $(GO) test $$pkgs -update

lint: fmt-check vet staticcheck ## gofmt, go vet, staticcheck

fmt-check:
	@bad=$$($(GOFILES) | xargs gofmt -l); \
	if [ -n "$$bad" ]; then echo "gofmt would change:"; echo "$$bad"; exit 1; fi

vet:
	$(GO) vet ./...

staticcheck: $(STATICCHECK)
	$(STATICCHECK) ./...

$(STATICCHECK): tools/go.mod tools/go.sum
	@mkdir -p .tools && rm -f .tools/staticcheck-*
	cd tools && $(GO) build -o ../$@ honnef.co/go/tools/cmd/staticcheck
	@touch $@

fuzz: ## run every fuzz target for FUZZTIME (20s)
	@grep -rlE --include='*_test.go' '^func Fuzz' . | grep -v '/testdata/' | sort | while read -r file; do \
		for name in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $$file); do \
			echo "== $$name in $$(dirname $$file)"; \
			$(GO) test -run='^$$' -fuzz="^$$name\$$" -fuzztime=$(FUZZTIME) $$(dirname $$file); \
		done; \
	done

bench: setup ## run the benchmarks
	$(GO) test -run='^$$' -bench=. -benchmem -benchtime=$(BENCHTIME) ./...

# The test that replays archives and random kernels, and its cases, as .bundle/golden.tar.xz: PTX and cases are text, and many.
define golden-test
@mkdir -p .bundle/golden
$(GO) test . -run '^TestGoldenModule$$' -count=1 -timeout 60m -module "$(CURDIR)/.bundle/module" -random.from $(RANDOM_FROM) -random.device $(RANDOM_KERNELS) $(1)
cd .bundle/module && GOOS=$(BUNDLE_GOOS) GOARCH=$(BUNDLE_GOARCH) CGO_ENABLED=0 $(GO) test -c -mod=mod -trimpath -ldflags '-s -w' -o ../golden/golden.test .
@cp .bundle/module/cases.cuda.json .bundle/golden/ && rm -r .bundle/module
@cd .bundle && XZ_OPT=-T0 tar -cJf golden.tar.xz golden && rm -r golden
@cp scripts/gpu-check .bundle/
endef

gpu-bundle: setup ## cross-build gpugen, examples and tests into .bundle for a machine with a GPU; there, run .bundle/gpu-check
	@rm -rf .bundle && mkdir -p .bundle/bin .bundle/examples .bundle/bench .bundle/test
	$(call golden-test)
	@export GOOS=$(BUNDLE_GOOS) GOARCH=$(BUNDLE_GOARCH) CGO_ENABLED=0; \
	set -x; \
	$(GO) build -trimpath -ldflags '-s -w' -o .bundle/bin/ ./cmd/gpugen; \
	$(GO) build -trimpath -ldflags '-s -w' -o .bundle/bench/ ./bench/saxpy; \
	for pkg in $(EXAMPLES); do $(GO) build -trimpath -ldflags '-s -w' -o .bundle/examples/ $$pkg; done; \
	$(GO) test -c -trimpath -ldflags '-s -w' -o .bundle/test/gpu.test ./runtime/gpu; \
	$(GO) test -c -trimpath -ldflags '-s -w' -o .bundle/test/ptx.test ./codegen/ptx
	@cd .bundle && XZ_OPT=-T0 tar -cJf programs.tar.xz bin examples bench test && rm -r bin examples bench test
	@cp bench/launch.c bench/matmul.cu examples/saxpy/kernels/_gpu/saxpy.ptx examples/matmul/kernels/_gpu/matmul.ptx .bundle/
	@du -sh .bundle

gpu-random: setup ## the same with RANDOM_KERNELS random kernels from seed RANDOM_FROM on and one archive; there, run .bundle/gpu-check random
	@rm -rf .bundle && mkdir -p .bundle
	$(call golden-test,-only '^negated_min$$')
	@du -sh .bundle

clean: ## remove what the targets above built; the installed tools in .nvrtc stay
	rm -rf bin demo .bundle .tools
