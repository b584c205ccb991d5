"""Phrases that act as one word, by role. A phrase hides what its words would say alone."""

from typing import Final

from reviewer.protocols.reading.roles import WordRole

_PHRASES: Final[dict[int, str]] = {
    0: """
        between the two; between these two; between them; if only for; if only to; if only because;
        if i understood; if i understand; if i remember; if i recall; if i read; if i'm not mistaken;
        if i am not mistaken; if memory serves; unless i'm mistaken; unless i am mistaken; unless i misread;
        unless i've misread; unless i missed; no ,; nope ,; nein ,; non ,; não ,; нет ,; 私 なら;
        something else; anything else; nothing else; everything else; so far; so far as; so much; not only;
        not just; not merely; not least; no doubt; without doubt; without a doubt; without any doubt;
        without hesitation; without question; no question; not surprisingly; not to mention; can't help but;
        no matter; not because; never mind that; whether or not; or not; not that; no surprise; no problem;
        no contest; no competition; no two ways about it; not an easy; not easy; not perfect;
        not ideal but; no silver bullet; not without; no easy;
        not a close; not close; not clear-cut; not entirely; not sure; not certain; nothing more;
        nothing less; no further; not so much; nichts anderes als; as well as; so that; as soon as;
        as long as it; even so; as if; in my previous answer; in my previous reply; in my previous response;
        in my earlier answer; in my earlier reply; in my earlier response; in my first answer;
        in my first reply; in my first response; no one but; not anything but; aller sicher; to be sure;
        for now; for the; as a; as an; as the; as it; for a; for an; for me; for us; to be honest;
        first of all; at least; as such; as asked; as requested; as above; while i see; in fact; as you;
        as i; as we; for this; for these; for all; for sure; given the choice; given that choice;
        rather good; rather than later; sooner rather than later; if anything; i . e .; if i had to choose;
        if i had to pick; if i had to; if i have to; if i must; if forced; if forced to choose; if pressed;
        if pushed; if you ask me; if i were you; if it were up to me; if it were me; if it were my call;
        if it was up to me; if it was me; if need be; if we have to choose; if i may; if you must know;
        if asked; if one must choose; if one had to choose; if you made me choose; as far as;
        if you want my opinion; if you want my honest opinion; if you want an answer; if you want my answer;
        if i am honest; if i'm honest; if you force me; if you forced me; if i was forced;
        if i were forced to choose; if i were forced; if i am forced; if in doubt; when in doubt;
        when pressed; when forced; if i had one vote; when all is said and done; when it comes down to it;
        when it comes to; if push comes to shove; when push comes to shove; even if; even though; even when;
        where possible; if possible; what if; if we must; if we had to; if made to choose;
        if there is a tie; if they had to; se devo scegliere; wenn ich wählen müsste;
        wenn ich mich entscheiden muss; si je devais choisir; si tuviera que elegir; as you wish;
        if i ever saw one; if ever i saw one; if there ever was one; backwards compatible;
        backwards - compatible; backwards compatibility;
        wenn ich mich festlegen müsste; anyone else; someone else; no one else; everyone else;
        somebody else; anybody else; nobody else; everybody else; who else; what else; where else;
        teams i know; people i know; colleagues i know; everyone i know; the former; not before;
        not until; not even close
    """,
    WordRole.BUT: """
        but not before; but not until
    """,
    WordRole.THAN: """
        than both; than either; than all; than any; than everything else; than the others; than the other two;
        than the rest; than the other one; than them both; than them all
    """,
    WordRole.CONCEDES: """
        with the caveat; with one caveat; with the proviso; with the reservation; with a caveat
    """,
    WordRole.OFFERS: """
        let me know if; let me know when; let me know whether; if you would like; if you like;
        if you'd like; if you wish; i can summarise; i can summarize; i can describe; i can outline;
        i can compare; if you want me; happy to; glad to; feel free; would you like;
        want me to; i could also; i can also
    """,
    WordRole.NEGATES: """
        hard to; difficult to; too early to; no longer; far from; by no means; in no way;
        under no circumstances; not at all; no reason to; no case for; little reason to; no good reason to;
        the last thing; says no to; no to; on no account; never mind; too risky to; not so fast with;
        settle for less than; settle for anything less than; auf keinen fall; en ningún caso; en aucun cas;
        unable to; a hard no to; not once; stop short of; it would take a miracle for;
        would take a miracle for
    """,
    WordRole.EXCEPTS: """
        rather than; instead of; anything but; everything but; all but; other than; as opposed to;
        in place of; in lieu of; apart from; aside from; anything other than; anything except; except for;
        more than; ahead of; at the expense of; any option but; any choice but; anyone but;
        anything besides; plutôt que; au lieu de; en lugar de; en vez de; antes que; más que; em vez de;
        ao invés de; do que; invece di; piuttosto che; in plaats van; eher als; besser als; zamiast; a nie;
        nicht aber; et non; y no; e não; e non; en niet; und nicht; and not; but not; compared to;
        compared with; next to; relative to; each option but; every option but; as much as i like;
        as tempting as; tempting as; as attractive as; attractive as; appealing as; in preference to
    """,
    WordRole.EXCEPTS | WordRole.WINS: """
        outweigh; outweighs; beats; beat; outperforms; trumps; edges out; outclasses; surpasses;
        wins against; wins over; outdoes; outshines; outscores; undercuts; eclipses
    """,
    WordRole.REFUSES: """
        rule out; rules out; ruled out; ruling out; steer clear of; steers clear of; stay away from;
        stay clear of; hold off on; holding off on; hold off; pass on; turn down; turned down; turning down;
        back away from; move away from; hands off; anything before; shy away from; keep away from;
        walk away from; get rid of;
        cross out; cross off; strike out; crossed out; argue against; advise against; vote against;
        decide against; decided against; recommend against; warn against; warns against; caution against;
        lean against; speak against; speaks against; leave aside; leave out; talk you out of; give up on;
        say no to; not an option; can be ruled out; cannot be justified; can't be justified; rückt ab von;
        sehe ab von; rate ab von; rate von; hände weg von; j'écarte; back off from; do away with;
        nothing speaks for; let go of; part ways with; say goodbye to; think twice about;
        think twice before; have no faith in; thumbs down for; beware of; wary of; leave it alone;
        disagree with; no match for
    """,
    WordRole.TAKES: """
        set the price at; set it at; set it to; put in; put down; it should be; go with; going with; bet on;
        betting on; my bet is; my money goes on; goes with; went with; go for; going for; opt for;
        opting for; settle on; settled on; decide on; decided on; decide for; decide in favour of;
        decide in favor of; come down on; side with; stick with; sticking with; stick to; vote for;
        voting for; plump for; root for; land on; landed on; landing on; lock in; put my money on;
        my money is on; put me down for; count me in for; in favour of; in favor of; go ahead with;
        proceed with; proceeding with; move forward with; moving forward with; press ahead with;
        end up with; end up choosing; ends up with; get behind; come out for; come out in favour of;
        say yes to; yes to; hands me to; tips the scales toward; tips it to; tips it for;
        tips the balance for; settles it for; decides it for; tips me to; tip the balance toward; points to;
        point to; point toward; points toward; points towards; point towards; pointing to; pointing toward;
        argues for; argue for; argues in favour of; speaks for; speak for; comes down to; boils down to;
        leads me to; lead me to; leads to; brings me to; leaves me with; leaves us with; leaves only;
        leaving only; leaves; leaving; i'm for; i am for; i'm with; i am with; i'd say; i would say; i say;
        i'll say; my vote goes to; goes to; go to; give it to; giving it to; hand it to; award it to;
        nod to; edge to; call it for; calling it for; make it; makes it; call it; entscheide mich für;
        spreche mich für; bin für; me decanto por; me quedo con; me inclino por; penche pour; opte pour;
        me decido por; voto por; fico com; ga voor; kies voor; gå med; i want; we want; gets my vote;
        corresponds to; matches; maps to; translates to; equals; amounts to; stands for; should have been;
        run with; roll with; it has to be; has to be; it must be; nothing beats; nothing but;
        none other than; no option but; no choice but; no other choice than; no other option than;
        can't go wrong with; no way around; cannot go wrong with; no alternative to; cannot help but;
        no reason not to; hard not to; can't argue with; take; agree with; convinced of; told her to;
        told him to; tell her to; tell him to; told you to; have to be; would have to be; must be;
        do option; let us do; start with; starting with; begin with; ready for; tell me; tells me; say yes;
        thumbs up for; inclined to say; inclined to choose; tempted to say; nothing better than;
        no better choice than; no better option than; no better way than; no better course than;
        nothing short of; nothing less than; settle for nothing less than; wouldn't settle for less than;
        would not settle for less than; please read; left with; he optado; he elegido; he escogido;
        he decidido; j'opte pour; rather have; rather see; stand by; stay with; staying with; hold to;
        go into; goes into; let it be; put me down as; i'd name; i would name; i'll name; i keep; i'll keep;
        i'd keep; i would keep; i will keep; we keep; i maintain; i confirm; changes it to; i end with;
        and ended with; i ended with; ended up with; i end up with; i end at; makes me choose;
        makes me pick
    """,
    WordRole.SO: """
        in short; in summary; to sum up; all in all; in conclusion; on balance; all told; to conclude;
        así que; por lo que; de modo que; por eso; por isso; per questo; du coup; c'est pourquoi; von daher
    """,
    WordRole.SHOULD: """
        had better; would do well to; would be better off; is better off; are better off; has to; have to;
        needs to; need to
    """,
    WordRole.IF: """
        in case the; in case it; in case he; in case she; in case they; in the event; on condition;
        subject to; contingent on; only with; only once; only if; only when; only after; only where
    """,
    WordRole.PRUDENT: """
        with any sense; with some sense; with common sense; in their right mind; in his right mind;
        in her right mind; worth their salt; who knows the trade; with experience
    """,
    WordRole.LEANS: """
        lean toward; lean towards; leaning toward; leaning towards; tend toward; tend towards;
        am inclined to; i'm inclined to; would be inclined to; happier with
    """,
    WordRole.PONDERS: """
        is sure; is certain; is convinced; claims to be; thought about; thinking about; was going to;
        were going to; was about to; were about to; about to; looked at; look at; see why;
        see the appeal of; the appeal of; the case for; a case for; the argument for; arguments for;
        would have; could have; might have; would i have; would we have; should i have; tempted by;
        drawn to; fooled by; misled by; swayed by; at first sight; at first glance; at first; on paper;
        on the surface; in theory; in principle; first thought; first instinct; in an ideal world;
        in a perfect world; used to; i started with;
        i was inclined; was leaning; almost; nearly; between; zwischen; entre; tra; tussen;
        auf den ersten blick; à première vue; a primera vista; instinct says; had been; half a mind to;
        would normally; would usually; would ordinarily; would often; normally suggest; usually suggest;
        flirted with; played with; begin with; begin by; includes;
        what about; how about; i get why; i like; close to choosing;
        first inclined; toying with; go through; goes through; going through; not oppose; not object to;
        not mind; not stand in the way of;
        i see nothing wrong with; nothing wrong with; not rule out; not reject; not against; not exclude;
        set aside; put aside; as for; as regards; with regard to; with respect to; had said; had chosen;
        had picked; had written; was my gut; goes on to; go on to; went on to; i just wrote; i just said;
        you wrote; you said; you write; you say; you mention; you mentioned; you quote; you quoted;
        you told me; had settled; had decided; had opted; had meant; i keep coming back; first impression;
        like to say; love to say; like to choose; love to choose; wish i could say; deserves another look;
        deserves a second look; worth another look; worth a second look; i keep going; i first; first wrote;
        first picked; first chose;
        you'd be right to; you would be right to; just as right; just as good; i'd have; we'd have;
        i'd said; i'd first; i'd chosen; i'd picked; i'd written; i'd initially; i'd originally
    """,
    WordRole.GOOD: """
        should do; will do; way to go; way forward; the one; my choice; my pick; my vote; my answer;
        my recommendation; my preference; my decision; the pick; the answer; the choice; the call;
        no-brainer; hard to beat; on top; comes out ahead; come out ahead; comes out on top; has the edge;
        lesser evil; less risky; less harmful; the smaller risk; lower risk; less dangerous; first choice;
        the winner; where i land; stands out; the safer bet; makes more sense; makes the most sense;
        makes sense; preferable to; superior to; worth choosing; to be preferred; to choose; to pick;
        to go with; more appropriate; most appropriate; more suitable; most suitable; more sensible;
        most sensible; more responsible; most responsible; more reasonable; most reasonable; more accurate;
        more correct; more defensible; more prudent; more reliable; more convincing; plus appropriée;
        plus adaptée; más adecuada; más sensata; più adatta; die bessere wahl; gets it right; worth it;
        carries the day; cannot be beaten; has my blessing; has my vote; has my support; gets the nod;
        is approved; what i'd do; what i would do; what she should do; what he should do;
        what they should do; what you should do; what i'd choose; is in .; is in ,; is final;
stays that way; hasn't changed; has not changed; still holds; still stands; clearly ahead;
slightly ahead; just ahead; far ahead; well ahead; strikes me as the better; strikes me as the sounder;
strikes me as the right; convinces me; convinces me more; persuades me; persuades me more; does the job;
does the trick; fits the bill; is due .; is due ,; is called for; is in order;
        より 適切; より 優れ; より 良い; より 正確
    """,
    WordRole.BAD: """
        i like least; i like the least; is out; are out; was out; less appropriate; less suitable;
        less sensible; less safe; less reasonable; less responsible; less accurate; less convincing;
        less defensible; less wise; not worth; too risky; too dangerous; too expensive; too costly;
        too slow; too early; too late; too much; too little; too high; too low; too extreme; too vague;
        too weak; too far; too short; too long; too soon; bad idea; poor choice; falls short; fall short;
        doesn't hold; won't do; won't work; doesn't work; does not work; doesn't cut it; backfires;
        would backfire; off the table; out of the question; a no-go; no go; más arriesgada; plus risquée;
        asking for trouble; makes no sense; makes little sense; riskier; at fault; misses the point;
        loses me; a stretch; deal-breaker; dealbreaker; non-starter; a non-starter; no good; no use;
        isn't it; second best; second-best; like least; like the least; least of all; runner - up;
        distant second; gets it wrong; overshoots; goes too far; too many unknowns; too many; far too;
        would be to ignore; out of scope; sounds good until; looks good until; only until; leaves the bug;
        leaves the problem; carries too much; over my dead body
    """,
    WordRole.CORRECTS: """
        . . no ,; – no ,; — no ,; - no ,; scratch that; or no; well no; actually no; actually , no;
        wait , no; hmm , no; oh , no; strike that;
        on reflection; on second thought; on second thoughts; take that back; took that back;
        let me correct; let me revise; i need to correct; i must correct; i have to correct; make that;
        my mistake; i meant; i mean; or rather; no wait; hold on; change my mind; changed my mind;
        changing my mind; change my answer; changing my answer; i misread; i misspoke; i mistyped;
        let me rephrase; let me reconsider; reconsidering; ignore that; disregard that; thinking again;
        having thought again; changed to; now changed to; updated to; revised to; amended to; changed it to;
        upon reflection; after reconsidering; upon reconsideration; on closer look; on closer inspection;
        looking again; come to think of it; i stand corrected; i was wrong; typo; mixed up; mixed them up;
        mixed the letters up; bei näherer betrachtung; ich meine; nein, warte; moment; non attends; en fait;
        mejor dicho; quise decir; aliás; anzi; withdrawn; retracted; slip of the; amended;
        i should have written; meant to say; meant to write; i revise; i'm revising; i am revising;
        i'm switching; i am switching; i switch; cancel that; forget that; not quite; to correct myself;
        correcting myself; should read; i change; i'm changing; i am changing; double-checking; rechecking;
        second look; i wrote that; i reverse; that was wrong; that's wrong; that is wrong;
        that line is wrong; i got that backwards; backwards; change it to; change that to; revise this;
        revise that; replaced it with; replaced it by; swapped it for; exchanged it for; crossed it out;
        crossed that out; i deleted it; on rereading; on re - reading; rereading the; re - reading the;
        reading it again; reading this again; let me think again; wrong letter; wrong number; wrong line;
        wrong way round; other way round; , no ,; i overrule; i overturn; i beg to differ; i dissent;
        i disagree with him; i disagree with her; i disagree with them; i disagree with that
    """,
    WordRole.UNDECIDED: """
        leave the choice to; leave the decision to; leave this choice to; leave this decision to;
        round in circles; around in circles; in circles; back and forth; won't settle; will not settle;
        hangt af; hängt davon ab; hängt von; dipende da; depende de; it depends; that depends;
        depends on; depend on; depends entirely; cannot decide; can't decide;
        could not decide; cannot choose; can't choose; can't pick; cannot pick; can't say; cannot say;
        unable to choose; unable to decide; unable to determine; no preference; undecided; won't choose;
        will not choose; rather not; refuse to choose; decline to choose; toss a coin between; torn between;
        either works; both work; both are; neither; either; both; none of the; none of these;
        not enough information; cannot recommend; can't recommend either; can't determine; cannot determine;
        no clear; es kommt darauf an; kommt darauf an; ça dépend; depende; dipende; hangt ervan af; зависит;
        取决于; 視情況; 无法; 無法; can't answer; cannot answer; can't make that; cannot make that;
        up to you; your call; your decision; leave that to you; no opinion; don't have a preference;
        do not have a preference; weder; ni l'une ni l'autre; ninguna de las dos; nenhuma das duas;
        nessuna delle due; geen van beide; no answer; no option; more information; more context; can't help;
        cannot help with; not able to; not going to choose; won't pick; nie wiem; no sé; je ne sais pas;
        weiß nicht; non so; não sei; не знаю; weet niet
    """,
}


def _by_words() -> dict[tuple[str, ...], int]:
    return {tuple(phrase.split()): role for role, text in _PHRASES.items() for phrase in text.split(";")}


def _by_first_words() -> dict[tuple[str, str], list[tuple[list[str], int]]]:
    phrases = dict[tuple[str, str], list[tuple[list[str], int]]]()
    for words, role in sorted(_by_words().items(), key=lambda phrase: -len(phrase[0])):
        if len(words) > 1:
            phrases.setdefault((words[0], words[1]), []).append((list(words), role))
    return phrases


PHRASES: Final = _by_first_words()
"""The phrases that begin with two words, the longest first, with their roles; 0 if one says nothing."""
SINGLE_WORDS: Final = {words[0]: role for words, role in _by_words().items() if len(words) == 1}
"""The words that count as phrases of their own, with their roles."""
