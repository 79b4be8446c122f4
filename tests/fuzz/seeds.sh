#!/bin/bash
# seeds.sh MERCURY DIRECTORY - corpora that belong to a build: the files of a run, a token record, the passes of an
# unfinished run and a store of points, as this mercury writes them, small enough to be changed in every place.
set -euo pipefail

mercury=$(realpath "$1") directory=$2
mkdir -p "$directory"/{predict,run,tables,store,token_record,pass_store}
cd "$directory"

bases() { # SEED COUNT: the same bases for the same seed
    awk -v x="$1" -v n="$2" 'BEGIN { for (; n > 0; n--) { x = x * 16807 % 2147483647; printf "%s", substr("ACGT", x % 4 + 1, 1) }
        print "" }'
}
repeat=$(bases 7 90)
{ echo ">q a query"; bases 3 200; echo "$repeat"; bases 4 60; } >query.fa
{ echo ">d1 first"; bases 5 300; echo "$repeat"; echo ">d2"; bases 6 100; echo "${repeat:0:60}"; bases 8 50; } >database.fa
"$mercury" run -q query.fa -d database.fa -e 10 -o made --record token_record/small.tokens --quiet
cp made/summary.json predict/
"$mercury" run -q query.fa -d database.fa -e 10 -o bare --measure none --quiet
for file in summary run; do sed 's/^ *//' bare/$file.json >run/$file.json; done
for table in histograms passes records frames; do
    [ $table = histograms ] || printf '\f'
    head -n 60 made/$table.tsv
done >tables/all.tsv
"$mercury" sweep -q query.fa -d database.fa --vary table.slots=2^10..2^11 --store store/two.store --quiet >/dev/null
# Its alignments cannot be written, so that its passes are kept.
! "$mercury" run -q query.fa -d database.fa -e 10 --keep-after 0 -o stopped -a /dev/full --quiet 2>said
mv stopped/unfinished.passes pass_store/small.passes
rm -rf stopped
