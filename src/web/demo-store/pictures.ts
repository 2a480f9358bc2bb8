const SHADOW = '<ellipse cx="200" cy="240" rx="130" ry="16" fill="#000" opacity=".08"/>';

const DRAWINGS: Record<string, string> = {
  throw: `<rect width="400" height="300" fill="#e9dccb"/>${SHADOW}<g transform="rotate(-4 200 160)"><rect x="90" y="150" width="220" height="70" rx="14" fill="#b98a63"/><rect x="90" y="120" width="220" height="52" rx="14" fill="#cfa37b"/>
<rect x="90" y="92" width="220" height="48" rx="14" fill="#dcb691"/><path d="M112 92v48M134 92v48M266 92v48M288 92v48" stroke="#f5e8d8" stroke-width="6"/>
<path d="M96 220v16M112 220v18M128 220v16M144 220v18M160 220v16M176 220v18M192 220v16M208 220v18M224 220v16M240 220v18M256 220v16M272 220v18M288 220v16M304 220v16" stroke="#b98a63" stroke-width="4"/></g>`,
  kettle: `<rect width="400" height="300" fill="#d5dfe0"/>${SHADOW}<path d="M140 230h120l-14-104a46 46 0 0 0-92 0z" fill="#3d4b52"/><path d="M154 128h92" stroke="#56666e" stroke-width="6"/><rect x="176" y="66" width="48" height="12" rx="6" fill="#3d4b52"/><circle cx="200" cy="60" r="9" fill="#b07b4f"/>
<path d="M146 200C96 190 118 130 84 112" fill="none" stroke="#3d4b52" stroke-width="13" stroke-linecap="round"/><path d="M252 118c58-4 62 86 6 92" fill="none" stroke="#b07b4f" stroke-width="15" stroke-linecap="round"/>`,
  mug: `<rect width="400" height="300" fill="#dfe3d3"/>${SHADOW}<path d="M132 104h122v86a40 40 0 0 1-40 40h-42a40 40 0 0 1-40-40z" fill="#6d7f5c"/><path d="M132 104h122v30H132z" fill="#f3efe4"/><path d="M132 134q20 22 40 4t40 6 42-8v-4H132z" fill="#f3efe4"/>
<path d="M254 128c54-8 54 70 0 66" fill="none" stroke="#6d7f5c" stroke-width="16"/><path d="M172 84c-10-16 10-20 0-38M208 84c-10-16 10-20 0-38" fill="none" stroke="#fff" stroke-width="6" stroke-linecap="round" opacity=".8"/>`,
  vase: `<rect width="400" height="300" fill="#ead7d1"/>${SHADOW}<path d="M178 128c-4 26-44 34-44 70 0 28 22 42 66 42s66-14 66-42c0-36-40-44-44-70z" fill="#c4745b"/><rect x="172" y="116" width="56" height="16" rx="8" fill="#a85f49"/><path d="M200 116C200 80 186 62 176 44M200 116c2-34 16-50 30-62M200 116c-4-24-26-34-38-38" fill="none" stroke="#6d7f5c" stroke-width="5" stroke-linecap="round"/>
<circle cx="174" cy="40" r="13" fill="#f6efe6"/><circle cx="234" cy="50" r="13" fill="#f6efe6"/><circle cx="158" cy="76" r="11" fill="#f6efe6"/><circle cx="174" cy="40" r="5" fill="#e2b04a"/><circle cx="234" cy="50" r="5" fill="#e2b04a"/><circle cx="158" cy="76" r="4" fill="#e2b04a"/>`,
  lamp: `<rect width="400" height="300" fill="#e8dfc6"/>${SHADOW}<path d="M168 60h76l34 74H134z" fill="#2f5d62"/><path d="M134 134h144l26 96H108z" fill="#fff3c4" opacity=".55"/><path d="M206 134v88" stroke="#8a6a45" stroke-width="9"/><rect x="158" y="220" width="96" height="14" rx="7" fill="#8a6a45"/><circle cx="206" cy="140" r="12" fill="#fff7d8"/>`,
  planter: `<rect width="400" height="300" fill="#d8e4dc"/>${SHADOW}<path d="M118 162h164l-16 74H134z" fill="#b5764c"/><rect x="110" y="148" width="180" height="20" rx="8" fill="#c98a5e"/><path d="M150 148c-6-34-30-36-34-58 26 2 36 22 36 44M200 148c-10-40-6-66 4-92 12 30 10 60 0 92M250 148c4-32 26-40 34-62-28 4-40 26-38 50M176 148c-2-30-16-44-24-62 20 8 32 32 28 62M226 148c2-28 10-46 20-58 4 24-4 42-14 58" fill="#4f7a57"/>`,
  candle: `<rect width="400" height="300" fill="#eadfd0"/>${SHADOW}<rect x="152" y="118" width="96" height="112" rx="12" fill="#e3a94f"/><ellipse cx="200" cy="120" rx="48" ry="14" fill="#f2c878"/><path d="M200 120V96" stroke="#5a4632" stroke-width="5"/><path d="M200 46c18 24 20 50 0 54-20-4-18-30 0-54z" fill="#f6b73c"/><path d="M200 70c8 12 8 26 0 28-8-2-8-16 0-28z" fill="#fff3c4"/><rect x="152" y="162" width="96" height="34" fill="#fbf3e4"/><path d="M172 180h56" stroke="#c9a269" stroke-width="4"/>`,
  board: `<rect width="400" height="300" fill="#dcdfe6"/>${SHADOW}<g transform="rotate(12 200 150)"><rect x="120" y="92" width="150" height="150" rx="22" fill="#b98553"/><rect x="180" y="40" width="32" height="70" rx="14" fill="#b98553"/><circle cx="196" cy="58" r="7" fill="#dcdfe6"/><path d="M132 124c44 10 84-10 126 4M132 160c44-10 84 12 126 0M132 198c44 10 84-10 126 4" fill="none" stroke="#9c6b3d" stroke-width="3" opacity=".7"/></g>`,
  apron: `<rect width="400" height="300" fill="#e6e1d8"/>${SHADOW}<path d="M164 62c2-36 70-36 72 0" fill="none" stroke="#6b5644" stroke-width="6"/><path d="M152 60h96c2 34 14 50 38 58v116H114V118c24-8 36-24 38-58z" fill="TINT"/><path d="M114 124H84M286 124h30" stroke="#6b5644" stroke-width="6" stroke-linecap="round"/><path d="M150 158h100v52H150z" fill="#fff" opacity=".16"/><path d="M150 158h100v52H150zM200 158v52" fill="none" stroke="#fff" stroke-width="3" stroke-dasharray="6 5" opacity=".7"/>`,
  socks: `<rect width="400" height="300" fill="#dde3ea"/>${SHADOW}<path d="M150 56h58v98l52 38c22 18 8 48-22 44l-66-14c-16-4-22-16-22-32z" fill="#a2553f"/><path d="M150 56h58v28h-58z" fill="#f0e4d2"/><path d="M150 104h58M150 122h58" stroke="#f0e4d2" stroke-width="7"/><path d="M228 170l32 22c22 18 8 48-22 44l-20-4c-8-24-4-46 10-62z" fill="#f0e4d2"/>`,
  cushion: `<rect width="400" height="300" fill="#ece6dd"/>${SHADOW}<path d="M112 76c40 14 136 14 176 0 14 50 14 104 0 156-40-14-136-14-176 0-14-52-14-106 0-156z" fill="TINT"/><path d="M200 90v128M128 154h144" stroke="#fff" stroke-width="2" opacity=".22"/><circle cx="200" cy="154" r="9" fill="#fff" opacity=".45"/><path d="M112 76l-8-10M288 76l8-10M112 232l-8 10M288 232l8 10" stroke="TINT" stroke-width="9" stroke-linecap="round"/>`,
  pot: `<rect width="400" height="300" fill="#e4e0d2"/>${SHADOW}<path d="M112 128h176v74a36 36 0 0 1-36 36H148a36 36 0 0 1-36-36z" fill="#2f5d8a"/><path d="M112 156H82M288 156h30" stroke="#2f5d8a" stroke-width="15" stroke-linecap="round"/><rect x="102" y="114" width="196" height="18" rx="9" fill="#f4f1e8"/><path d="M120 114c10-34 150-34 160 0z" fill="#3a6d9e"/><circle cx="200" cy="80" r="11" fill="#f4f1e8"/><path d="M136 150v48" stroke="#fff" stroke-width="9" stroke-linecap="round" opacity=".3"/>`,
};

const COLOURS: Record<string, string> = {
  rust: '#b0552f',
  sage: '#8c9c7d',
  ink: '#34435a',
  plum: '#7d3f5e',
  moss: '#5c7048',
  sand: '#c9ab80',
  sky: '#7fa5bd',
};

/** Returns SVG, or null for an unknown product; `apron-rust` is the product `apron` in that colour. */
export function picture(name: string): string | null {
  const [slug, colour] = name.split('-') as [string, string?];
  if (!Object.hasOwn(DRAWINGS, slug) || (colour !== undefined && !Object.hasOwn(COLOURS, colour)))
    return null;
  const shapes = DRAWINGS[slug]!.replaceAll('TINT', COLOURS[colour ?? 'rust']!);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300" width="400" height="300">${shapes}</svg>`;
}
