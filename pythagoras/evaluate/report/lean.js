"use strict";
// Lean 4 for the eye: a text cut into pieces, each with a kind. Pieces joined are the text; nothing is ever lost.
// It knows words and signs, not grammar: `at` is a keyword wherever it stands.

const LEAN_WORDS = {
  keyword:
    "abbrev axiom by calc class def deriving do else end example export extends for from fun have if import in " +
    "inductive infix infixl infixr instance lemma let local macro match mutual namespace noncomputable notation open " +
    "opaque partial postfix prefix private protected public module return section set_option show " +
    "structure suffices syntax termination_by then theorem universe unsafe variable where with at using generalizing " +
    "attribute decreasing_by nomatch λ forall exists",
  tactic:
    "aesop all_goals any_goals apply apply? assumption assumption_mod_cast bound bv_decide by_cases by_contra calc case " +
    "cases change choose clear congr congrm constructor contradiction contrapose contrapose! conv conv_lhs conv_rhs " +
    "convert decide delta done dsimp ext erw exact exact? exact_mod_cast exfalso exists extract_lets field_simp fin_cases " +
    "first focus funext gcongr generalize grind haveI induction infer_instance injection interval_cases intro intros " +
    "left letI linarith linear_combination lia mono native_decide nlinarith nofun norm_cast norm_num nth_rewrite nth_rw " +
    "obtain omega on_goal polyrith positivity push_cast push_neg rcases refine refine' rename rename_i repeat replace " +
    "revert rfl rfl' right ring ring_nf rintro rotate_left rw rwa set show_term simp simp? simp_all simp_arith simpa " +
    "skip specialize split split_ifs subst subst_vars swap symm tauto trans transitivity trivial try " +
    "unfold use wlog zify",
  sort: "Prop Type Sort",
  hole: "sorry admit stop",
};
const LEAN_KIND = new Map();
for (const [kind, words] of Object.entries(LEAN_WORDS))
  for (const word of words.split(" ")) if (!LEAN_KIND.has(word)) LEAN_KIND.set(word, kind);

const LEAN_LETTER = "(?![λΠΣ])[\\p{L}_]";
const LEAN_PART = `(?:«[^»\\n]{0,200}»|${LEAN_LETTER}[\\p{L}\\p{N}_'!?₀-₉ₐ-ₜᵢ-ᵪ]*)`;
const LEAN_TOKEN = new RegExp(
  [
    "(?<comment>--[^\\n]*|\\/-)", // the end of a block is looked for by hand: blocks nest
    '(?<string>r(?<hashes>#*)"[^]*?(?:"\\k<hashes>|$)|(?:[sfm]!)?"(?:\\\\[^]|[^"\\\\])*(?:"|$))',
    "(?<char>'(?:\\\\(?:[\\\\'\"nrt]|x[\\da-fA-F]{2}|u[\\da-fA-F]{4})|[^\\\\'\\n])')",
    "(?<number>0[xX][\\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|\\d[\\d_]*(?:\\.\\d[\\d_]*)?(?:[eE][+-]?\\d+)?)",
    "(?<attribute>@\\[|#[a-z_]+\\b)",
    `(?<name>${LEAN_PART}(?:\\.${LEAN_PART})*|[λΠΣ])`,
    "(?<space>\\s+)",
    "(?<sign>[^])",
  ].join("|"),
  "yu",
);

/** The pieces of a Lean text, as [kind, piece]: keyword, tactic, sort, hole, comment, string, number, attribute, name,
 *  variable of binders and everything else plain. */
function leanPieces(text) {
  const pieces = [];
  const add = (kind, piece) => {
    const last = pieces[pieces.length - 1];
    if (last && last[0] === kind && (kind === "plain" || kind === "sign")) last[1] += piece;
    else pieces.push([kind, piece]);
  };
  let at = 0;
  let declares = false; // whether the next name is the one that is declared
  while (at < text.length) {
    LEAN_TOKEN.lastIndex = at;
    const found = LEAN_TOKEN.exec(text);
    if (!found) {
      // half a character: the pattern reads whole ones
      add("plain", text[at]);
      at += 1;
      continue;
    }
    const groups = found.groups;
    let piece = found[0];
    let kind = "plain";
    if (groups.comment) {
      if (piece === "/-") piece = text.slice(at, blockEnd(text, at));
      kind = /^(?:\/--|\/-!)/.test(piece) && piece !== "/--/" ? "doc" : "comment";
    } else if (groups.string || groups.char) kind = "string";
    else if (groups.number) kind = "number";
    else if (groups.attribute) kind = "attribute";
    else if (groups.name) {
      kind = LEAN_KIND.get(piece) || (declares ? "declared" : "name");
      declares = kind === "keyword" && /^(?:theorem|lemma|def|abbrev|instance|structure|class|inductive|opaque|axiom)$/.test(piece);
    } else if (groups.sign) {
      kind = "sign";
      declares = false;
    }
    add(kind, piece);
    at += piece.length;
  }
  return pieces;
}

/** Where the block comment that begins here ends; the end of the text when it never does. */
function blockEnd(text, start) {
  const mark = /\/-|-\//g;
  let depth = 0;
  mark.lastIndex = start;
  for (let found; (found = mark.exec(text)); ) {
    depth += found[0] === "/-" ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return text.length;
}
