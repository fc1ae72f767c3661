// What the pages do beyond what HTML does by itself.

import { filterCards } from "./ui/filter.js";
import { answerRightChoices, openByAddress, revealAll, rememberShown } from "./ui/reveal.js";
import { schemeButton } from "./ui/scheme.js";
import { reachWhatScrolls } from "./ui/scrolling.js";
import { leadHitsToCards, openSearch, searchWhatIsPasted } from "./ui/search.js";
import { verdictButtons } from "./ui/verdict.js";
import { closeMenu } from "./ui/menu.js";

schemeButton();
filterCards();
openByAddress();
revealAll();
rememberShown();
answerRightChoices();
verdictButtons();
closeMenu();
leadHitsToCards();
openSearch();
searchWhatIsPasted();
reachWhatScrolls();
