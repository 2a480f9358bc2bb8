python3 - <<'P'
import re,collections
t=open('/work/wt/reads/bench/.data/postgres.log').read()
parts=re.split(r'\n(?=2026-)',t)
c=collections.Counter(); d=collections.defaultdict(float)
for p in parts:
    m=re.search(r'duration: ([0-9.]+) ms  plan:\s*Query Text: (.{0,60})(.*)',p,re.S)
    if m:
        scans=re.findall(r'((?:Seq|Index Only|Index|Bitmap Index) Scan[^(\n]*)',m[3])
        k=re.sub(r'\s+',' ',m[2])[:50]+' | '+'; '.join(sorted(set(s.strip() for s in scans)))[:160]; c[k]+=1; d[k]+=float(m[1])
for k,n in c.most_common(6): print(n,round(d[k]),k)
P
: > bench/.data/postgres.log
