// What server/page/markdown.js takes of micromark: a parser that tells of each token where it stands.
export { parse, postprocess, preprocess } from "micromark";
export { decodeNamedCharacterReference } from "decode-named-character-reference";
export { gfmAutolinkLiteral } from "micromark-extension-gfm-autolink-literal";
export { gfmStrikethrough } from "micromark-extension-gfm-strikethrough";
export { gfmTable } from "micromark-extension-gfm-table";
export { gfmTaskListItem } from "micromark-extension-gfm-task-list-item";
export { decodeNumericCharacterReference } from "micromark-util-decode-numeric-character-reference";
