"""Words that tell what is said of a choice, by role, in the languages in which models answer."""

from typing import Final

from reviewer.protocols.reading.roles import WordRole

_WORDS: Final[dict[int, str]] = {
    WordRole.NEGATES: """
        not never no nope neither nor cannot without hardly nothing none nobody cant wont dont doesnt isnt
        shouldnt wouldnt couldnt ain't nicht kein keine keinen keinesfalls niemals weder noch nie pas ni
        aucun aucune jamais ne non né nunca ninguna ninguno tampoco não nem nenhuma nenhum niet geen nooit
        żaden ani не ни нельзя никогда 不 不是 不要 不建议 不建議 不推荐 不推薦 不宜 不该 不該 不选 不選
        不应 不應 非 别 勿 없다 아니라 아닌 않
        ではなく じゃなく しない 而不是 而非 不能 不会 不會 لا ليس ليست değil inte ej ikke nej ません ない
        않습니다 没有 没 未 並未 并未 没选 ませんでした 않았 못 안 لم لن नहीं मत nechci
    """,
    WordRole.EXCEPTS: """
        over minus except excluding barring besides unlike sans gegenüber statt anstatt anstelle plutôt-que
        senza zamiast вместо
    """,
    WordRole.REFUSES: """
        avoid avoids avoided avoiding reject rejects rejected rejecting refuse refuses refused refusing
        oppose opposes opposed opposing against skip skips skipped skipping decline declines declined
        declining afraden ontraden afgeraden abraten déconseille déconseillerais desaconsejo sconsiglio
        discard discarded discards discarding dismiss dismissed dismisses dismissing drop dropped
        dropping abandon abandoned abandoning withdraw withdrew retract disregard veto vetoed exclude
        excluded excluding eliminate eliminated eliminates eliminating discourage discouraged discouraging
        ditch ditched scrap scrapped shun shelve shelved forgo forego pass resist distrust doubt nix
        rejection ausschließen ablehnen lehne vermeiden vermeide vermieden abraten gegen rejeter rejette
        éviter évite évitez contre écarter écarte descarto descartar descartada evitar evito evitaría contra
        rechazo rechazar rejeito rejeitar descarta scartare scarto evitare contro rifiuto afwijzen vermijd
        vermijden tegen odrzucam unikać против отвергаю избегать 避免 拒绝 拒絕 排除 放弃 放棄 反对 反對
        避ける 却下 피해야 거부 배제 undvik undvika undgå unngå postpone postpones postponed postponing
        shelving ignore ignores ignored beware leave-alone
    """,
    WordRole.TAKES: """
        allocate allocated invested assigned estimated budgeted choose chooses chose chosen choosing pick
        picks picked picking select selects selected selecting opt opts opted opting recommend recommends
        recommended recommending prefer prefers preferred preferring favor favors favored favoring favour
        favours favoured favouring endorse endorses endorsed endorsing take takes took taking vote votes
        voted voting advise advises advised advising suggest suggests suggested suggesting adopt adopts
        adopted adopting back backing settle settled settling decide decides decided deciding propose
        proposing proposed answer answers answering call calling go goes going went gone stick sticking use
        using side siding award awarding declare declaring wähle wählen gewählt empfehle empfehlen empfohlen
        nehme nehmen entscheide entscheiden entschieden bevorzuge bevorzugen plädiere stimme choisis choisir
        choisirais choisissons recommande recommander recommandée préfère opte opterais opter prends prendre
        prendrais retiens retenir elijo elegir elegiría escojo escoger escogería recomiendo recomendar
        recomendada prefiero opto optaría optar voto quedo quedaría inclino escolho escolher escolheria
        recomendo prefiro ficaria fico optaria scelgo scegliere sceglierei consiglio consiglierei preferisco
        opterei kies kiezen koos aanbevelen raad wybieram wybrać wybrałbym polecam выбираю выбрать выберу
        выбрал выбрала рекомендую предпочитаю предпочту стоит 选择 選擇 选 選 推荐 推薦 建议 建議 采用 採用
        選び 選ぶ 選択 推奨 おすすめ お勧め 勧め 선택 추천 고르 أختار اختار اخترت أوصي seçiyorum seçerim
        seçtim öneririm öneriyorum väljer valde valt rekommenderar velger vælger anbefaler valitsen
        suosittelen volím vybírám doporučuji चुनता चुनती चुनूंगा चुनूँगा reach choisi opté décidé retenu
        pris elegí escogí decidí tomé elegido escogido escolhi optei decidi fiquei escolhido scelto deciso
        optato preso wybrałem wybrałam zdecydowałem gekozen wählte wählten entschied nahm besloten решил
        решила valgte valgt beslutade zvolil vybral optado votado decidido conseille conseillerais aconsejo
        aconselho prenderei prendo voterei punterei tomaría diría votaría voterais tomaria votaria nähme
        votiere neem stem biorę głosuję stawiam wskazuję выбран выбрана выбрано беру взял советую にします
        にしました 決めました とします approve approves approved accept accepts accepted implement
        implementing ship build buy support supports sign merge
    """,
    WordRole.LEANS: """
    eher lieber lean leans leaning incline gravitate tend neige tendiere penche tendo
    """,
    WordRole.PONDERS: """
        consider considers considered considering tempted tempting leaned inclined thought toyed toy
        pondered ponder weighed weighing weigh discussed discuss compared comparing compare debated debate
        evaluated evaluating examine examined examining looked looking explored explore appreciate
        understand see imagine imagined wondered wondering sympathise sympathize admire respect hesitate
        hesitated überlegte überlegt erwog envisagé consideré considerei avrei considerato argue arguing
        defend describe describes describing explain elaborate mention mentions mentioned
    """,
    WordRole.GOOD: """
        best better right correct superior preferable preferred safer safest wiser wisest soundest sounder
        smartest smarter sensible winner winning ideal proper appropriate optimal advisable stronger
        strongest recommended prudent wise fittest favourite favorite sound advised warranted responsible
        defensible preferably unbeatable unbeaten justified richtig richtige besser bessere beste besten
        sinnvoller sinnvollste vorzuziehen angemessen angemessener sicherer meilleure meilleur mieux
        préférable correcte mejor correcta correcto preferible adecuada adecuado melhor correta preferível
        migliore corretta preferibile giusta beter juiste lepsza lepszy najlepsza lepiej лучше лучший лучшая
        лучшим предпочтительнее правильный верный 更好 最好 最佳 更优 更優 更适合 更合适 较好 較好 更佳 正确
        正確 最合适 良い 優れ 適切 最適 正しい 優勢 낫다 낫습니다 더 나은 좋습니다 올바른 أفضل الأفضل الأنسب
        bättre bäst bedre bedst parempi necessary
    """,
    WordRole.BAD: """
        regret regretted worry worries worrying worried scares wrong worse worst risky riskier riskiest
        unacceptable
        inappropriate unjustified unjustifiable dangerous inferior flawed unsuitable premature weaker
        weakest irresponsible untenable unwise unsound mistake mistaken bad poor poorer poorest foolish
        reckless unsafe unethical incorrect false imprudent indefensible inadvisable ill-advised misguided
        unreasonable unworkable unfit inadequate insufficient loser losing error harmful misleading trap
        folly nonstarter gamble overkill hasty unrealistic unnecessary short-sighted shortsighted invalid
        improper untrustworthy problematic questionable dubious unviable dead disqualified falsch falsche
        schlechter schlechtere schlecht riskant riskanter ungeeignet unangemessen mauvaise mauvais pire
        überzogen
        übertrieben verfrüht unpassend unnötig unangebracht exagéré exagérée excessif excessive excesivo
        excesiva exagerado exagerada esagerato esagerata eccessivo prématuré prématurée prematuro prematura
        overdreven errore erreur fehler fout erro ошибка ошибку fehlt fehlen
        risquée inacceptable incorrecte peor incorrecta incorrecto arriesgada inadecuada pior errada
        incorreta arriscada peggiore sbagliata rischiosa slechter foute verkeerd gorsza gorszy хуже
        неправильный рискованнее 错误 錯誤 更差 不好 不当 不當 冒险 不合适 不合適 不可取
        过分 过度 過度 悪い 劣る 誤り 危険
        나쁘 나쁩니다 틀렸 sämre dårligere unjust hopeless disaster catastrophe nightmare blunder suicide
        madness insane mad crazy nonsense absurd ridiculous terrible awful horrible lousy useless pointless
        worthless futile unforgivable inexcusable unthinkable intolerable impossible untrue unfair unfounded
        baseless wasteful counterproductive detrimental waste wasted naive dishonest unhelpful unsupported
        unconvincing incoherent fatal ruinous pitiful inexcusably fool idiot least
    """,
    WordRole.WINS: """
        wins win won beats beat outperforms outweighs outclasses outranks prevails triumphs edges surpasses
        trumps gewinnt siegt gagne l'emporte gana ganó vence wint wygrywa побеждает выигрывает 胜出 勝出
        获胜 獲勝 胜 勝 勝ち 이깁니다 vinner vinder deserves gets earns bests vorn vorne
    """,
    WordRole.LOSES: """
    loses lose lost fails fail failed verliert perd pierde perde
    """,
    WordRole.IS: """
        is was be been being are were seems seem seemed looks appears remains stays feels sounds becomes
        represents constitutes is: : ： = isn't wasn't aren't weren't that's it's he's she's ist wäre war
        sind scheint bleibt est serait était semble reste es sería parece era fue é seria foi è sarebbe
        sembra fu zijn lijkt jest byłby это является будет было 是 为 為 です だ である 입니다 이다 이 är
        var er turns proves ought gilt lautet geht va cae recae 属于 going-to => は 은 는
    """,
    WordRole.SHOULD: """
        should must ought shouldn't mustn't sollte sollten müssen muss soll devrait devrais faut devons debe
        debería deberías deberíamos deve deveria dovrebbe dovrei moet zou-moeten powinien следует должен
        должны 应该 應該 应当 應當 应 應 须 べき 해야 bör skal zalecam
    """,
    WordRole.WOULD: """
        would will shall i'd i'll we'd we'll you'd you'll wouldn't won't würde würden werde wird ich'd haría
        faria farei zou zal byłoby 会 會 ville skulle gonna
    """,
    WordRole.COULD: """
        could might may can couldn't mightn't könnte könnten kann kannst pourrait pourrais peut peux podría
        podrías puede poderia pode potrebbe può kunnen zou-kunnen może мог можно 可能 可以 也许 也許
        かもしれ kan kunne perhaps maybe possibly vielleicht peut-être quizás quizá tal-vez talvez forse
        misschien возможно arguably
    """,
    WordRole.FIRST: """
        i we you i'd i'll i'm i've we'd we'll we're we've you'd you'll my me our us your mine let's lets
        myself ich mein meine meiner wir je j'opte j'ai j'opterais nous mon ma yo mi nosotros eu meu minha
        io mio mia ik mijn ja mój moja я мой моя мне мы 我 我们 我們 本人 私 저는 제 나는 أنا ben benim jag
        min jeg mitt im mich voz
    """,
    WordRole.OTHERS: """
        colleague colleagues coworker coworkers teammate teammates people some many most others critics
        someone somebody everyone everybody anyone they he she them him friend friends boss manager lead
        leader leads leadership developer developers engineer engineers programmer programmers customer
        customers users client clients stakeholders stakeholder author proponents advocates supporters
        skeptics sceptics optimists pessimists managers executives reviewer reviewers team teams management
        cto ceo vp director investor investors consultant consultants vendor supplier sales marketing
        majority minority predecessor mentor intern junior senior staff analyst analysts experts expert
        pundits neighbour neighbor wife husband mother father brother sister uncle aunt reader readers
        instinct intuition gut temptation impulse habit crowd traditionalists purists novices kollege
        kollegen kollegin manche viele andere einige chef leute collègue collègues certains beaucoup équipe
        colega colegas algunos muchos otros equipo jefe alguns muitos outros equipe collega colleghi alcuni
        molti altri sommigen velen anderen sommige коллега коллеги некоторые многие 同事 有人 有些人 许多人
        很多人 他 她 他们 同僚 동료 kollega kollegor kollegerne somebody's devil's rival opponent opponents
        accountant lawyer doctor lecturer teacher tutor grader judge panel board committee founder planner
        nurse coach chairman secretary sibling partner flatmate roommate landlord tenant student students
        pupils parents parent user whoever judges manual handbook guidelines jurors
    """,
    WordRole.PRUDENT: """
        careful good sensible prudent wise responsible reasonable rational cautious thoughtful conscientious
        disciplined seasoned competent diligent judicious level-headed attentive mindful ethical
        conservative skilled pragmatic impartial fair honest patient shrewd decent
    """,
    WordRole.PICK: """
        choice option answer pick vote recommendation decision preference selection verdict winner judgement
        judgment call bet way path course move advice conclusion suggestion nod approach vote's solution
        response favorite alternative route plan wahl entscheidung empfehlung antwort stimme urteil lösung
        choix réponse recommandation décision voix elección respuesta recomendación decisión veredicto
        escolha resposta recomendação decisão veredito scelta risposta decisione raccomandazione verdetto
        keuze antwoord besluit oordeel wybór odpowiedź decyzja выбор ответ решение рекомендация вердикт 选择
        選擇 答案 决定 決定 结论 結論 判断 判定 建议 推荐 選択 回答 선택 결정 답 답변 결론 판정 option's
        estimate guess step val svar beslut pick's result endorsement support ruling opinion view leaning
        reply rating grade 答え 答 正解 勝者 정답
    """,
    WordRole.EARLIER: """
        second other alternative next initial initially original originally previous previously earlier
        backup fallback runner runner-up former first-impression prior preliminary tentative provisional
        default remaining third-best opposite only-alternative zunächst anfangs d'abord inicialmente
        principio сначала 最初 起初 一开始 처음 usual usually normally common popular draft
    """,
    WordRole.IF: """
        if whether when whenever should-you provided providing assuming suppose supposing otherwise else
        wenn falls sofern sonst si sinon siempre-que caso senão altrimenti als indien anders jeśli jeżeli
        если иначе 如果 若 假如 否则 否則 もし なら 場合 만약 라면 إذا eğer om hvis depending
    """,
    WordRole.CONCEDES: """
        although though while whereas albeit unless tenzij sauf salvo despite notwithstanding granted
        admittedly even obwohl zwar während trotz bien-que malgré aunque embora apesar sebbene anche-se
        nonostante hoewel ondanks chociaż хотя 虽然 雖然 尽管 儘管 けれど 비록 trots selv
    """,
    WordRole.SINCE: """
        because since due weil da denn parce-que car puisque porque ya-que pues perché poiché omdat want
        ponieważ bo gdyż потому так-как поскольку 因为 因為 由于 由於 なぜなら から ので 때문 لأن çünkü
        eftersom fordi siden on-account thanks so-that
    """,
    WordRole.BUT: """
        but however yet still nevertheless nonetheless instead though sondern aber jedoch dennoch trotzdem
        stattdessen mais cependant toutefois pero sino sin-embargo mas porém contudo ma però tuttavia bensì
        maar echter ale lecz jednak но однако а 但 但是 不过 不過 然而 而是 却 しかし だが でも むしろ
        하지만 그러나 لكن بل fakat ama men dock utan conversely regardless anyway
    """,
    WordRole.SO: """
        so therefore thus hence consequently overall ultimately finally altogether accordingly conclusion
        eventually deshalb daher also somit insgesamt letztlich schließlich donc ainsi finalement por-tanto
        entonces finalmente así-que portanto então logo quindi dunque infine perciò dus daarom uiteindelijk
        więc zatem ostatecznie поэтому итак следовательно 所以 因此 故 综上 綜上 总之 總之 最终 最終 よって
        したがって だから 결국 따라서 그래서 لذلك
    """,
    WordRole.JOINS: """
        and or / & und oder et ou y o u e ed en lub и или 和 或 或者 还是 以及 と か や または 와 과 또는
        och eller
    """,
    WordRole.THAN: """
    than als que di dan niż чем 比 より 보다 än
    """,
    WordRole.TO: """
    to zu zur à a para per naar do к на 到 改为 改為 改选 へ
    """,
    WordRole.FROM: """
    from von de da van od от с 从 從 から away
    """,
    WordRole.MOVES: """
        switch switching switched move moving moved change changing changed migrate migrating shift shifting
        pivot transition wechseln wechsle passer cambiar mudar passare overstappen
    """,
    WordRole.CORRECTS: """
        correction corrected korrektur correctif corrección correção correzione correctie oops erratum sorry
        apologies pardon wait hmm revised revision revising edit scratch reconsidering 更正 纠正 訂正 정정
        actually rectification rectificación errata исправление поправка update meant
    """,
    WordRole.SPEAKS: """
        said says say argued argues claimed claims insists insisted wrote writes told tells thinks think
        believes believed believe wants wanted asked asks asking reads read quoted quotes stated states
        meint sagt findet dit pense dice cree diz acha ritiene zegt vindt mówi считает говорит 说 認為 认为
        swears pushes pushed pleaded urged urges advocates proposes
    """,
    WordRole.HAS: """
    have had has 've
    """,
    WordRole.GLUE: """
        the a an this that it its these those definitely clearly still just simply really then here there l'
        d' with on in of by at strongly firmly confidently personally certainly probably likely obviously
        rather slightly marginally much far somewhat hands down yes ok okay sure well now ultimately indeed
        again also too myself own final my our " ' ( ) [ ] , - – — * . … der die das den dem für mit bei auf
        klar eindeutig le la les pour avec clairement el los las por con claramente o os as com lo il gli
        per de het een met voor to be both options option choice answer one go pick only please after all
        considered everything balance end things most best strong firm clear very more quite fairly narrowly
        narrow am im ein eine un une una um uma du des del della do da sich mich mir me therefore so thus
        hence and i'd und ist is es est é è 为 為 是 了 的 我 です を は が の に も 을 를 은 는 이 가 로
        으로 입니다 thinking through careful carefully having weighed weighing given what know reflection
        consideration deliberation thought settled settles decision verdict without doubt question because
        tentatively preferably today let her him them us itself plutôt всё все же таки
        roughly approximately circa pretty
    """,
}


def _by_word() -> dict[str, int]:
    roles = dict[str, int]()
    for role, words in _WORDS.items():
        for word in words.split():
            roles[word] = roles.get(word, 0) | role
    return roles


ROLES: Final = _by_word()
"""The roles of each word."""
