"""What a protocol tells the reader: its choices and the words that announce an answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from reviewer.protocols.reading.naming_words import words_of

LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


DECIDING: Final = words_of(
    """
    aanbeveling accepted afgørelse beslissing besluit beslut beslutning choice choix chosen decided decision
    decisione decisión decisão decizie decyzja décision döntés elección empfehlung entscheidung escolha
    hotărâre judgement judgment karar keputusan keuze oordeel option pick preference päätös raccomandazione
    recomendación recomendação recommandation recommendation recommended rozhodnutí scelta selected
    selection urteil val valg verdetto verdict veredicto veredito wahl werdykt winner wybór απόφαση вердикт
    выбор рекомендация решение рішення الاختيار الحكم القرار निर्णय फैसला 决定 判定 判断 判斷 決定 裁决 裁決
    选择 選択 選擇 결정 선택 판정
    """
)
"""Words that announce a decision between what was offered."""
ANNOUNCERS: Final = DECIDING | words_of(
    """
    정답 tldr ans answer antwoord antwort cevap conclusie conclusion conclusione conclusión conclusão ergebnis
    fazit
    jawaban konklusion konklusjon kết-luận odpověď odpowiedź outcome resolution resposta respuesta result
    risposta réponse răspuns slutsats suggestion svar vastaus válasz wniosek đáp-án απάντηση вывод відповідь
    ответ الإجابة उत्तर 回答 答 答え 答案 結果 結論 结论 결론 답 답변
    """
)
"""Words that announce any answer. What stands behind them decides."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One choice: its label, the letter or number that names it, words that mean it, its text and its place.

    ``place`` is its place among those that were shown, counted from 1; 0 if it has none, as a tie.
    """

    label: str
    names: tuple[str, ...]
    place: int
    words: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Choices:
    """The choices of a question, and which words announce an answer to it."""

    choices: tuple[Choice, ...]
    announcers: frozenset[str] = ANNOUNCERS

    @classmethod
    def lettered(cls, texts: Sequence[str]) -> "Choices":
        """Choices that are known by letter, and by number too unless a text has a digit."""
        with_digits = any(sign.isdigit() for text in texts for sign in text)
        return cls(
            tuple(
                Choice(letter, (letter,) if with_digits else (letter, str(place)), place, text=text)
                for place, (letter, text) in enumerate(zip(LETTERS, texts, strict=False), 1)
            )
        )

    @classmethod
    def numbered(cls, texts: Sequence[str]) -> "Choices":
        """Choices that are known by number."""
        return cls(
            tuple(Choice(str(place), (str(place),), place, text=text) for place, text in enumerate(texts, 1))
        )
