"""Words that name a choice: nouns before a letter or a number, and numbers in words, in several languages."""

from typing import Final


def _numbered(*lists: str) -> dict[str, int]:
    return {word: place for place, words in enumerate(lists, 1) for word in words.split()}


def words_of(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def phrases_of(text: str) -> tuple[list[str], ...]:
    """The words of each phrase of a text, which semicolons part."""
    return tuple(phrase.split() for phrase in text.split(";"))


NOUNS: Final = words_of(
    """
    # alternativ alternativa alternative alternatives alternativet alternativt answer answers antwoord
    antwort approach assistant buchstabe candidate choice choices letra letter lettera lettre model možnost
    no nr number odpowiedź opcion opciones opción opcja opcję opt optie opties option optionen options
    opzione opção opções pilihan reply response responses resposta respuesta risposta réponse seçenek
    solution statement svar vaihtoehto valg valgmulighed variante version wariant вариант варианта варианту
    опцию опция ответ ответа الخيار विकल्प オプション 回答 方案 案 答案 选择 选项 選択肢 選項 선택지 옵션
    """
)
"""What may stand before the name of a choice."""
ORDINALS: Final = _numbered(
    (
        "first 1st erste ersten erster première premier primera primer primero primeira primeiro prima "
        "primo eerste pierwsza pierwszą pierwszy первый первую первая первого 第一 最初 første första ilk "
        "الأول ensimmäinen první 1er 1ère"
    ),
    (
        "second 2nd zweite zweiten zweiter deuxième seconde segunda segundo seconda secondo tweede druga "
        "drugą drugi второй вторую вторая второго 第二 andra anden andre ikinci الثاني toinen druhý 2e "
        "2ème"
    ),
    (
        "third 3rd dritte dritten troisième tercera tercer terceira terceiro terza terzo derde trzecia "
        "третий третью третья 第三 tredje"
    ),
    "fourth 4th vierte vierten quatrième cuarta quarta vierde четвёртый четвертый четвёртую 第四 fjärde",
    "fifth 5th fünfte fünften cinquième quinta vijfde пятый пятую 第五",
    "sixth 6th sechste sixième sexta zesde шестой",
    "seventh 7th siebte septième séptima седьмой",
    "eighth 8th achte huitième octava",
    "ninth 9th neunte neuvième novena",
    "tenth 10th zehnte dixième décima",
    "eleventh 11th elfte onzième",
)
"""The place of a choice by words such as "first"."""
SIDES: Final = {
    **dict.fromkeys(("left", "former", "earlier", "top", "upper"), 1),
    **dict.fromkeys(("right", "latter", "later", "bottom", "lower"), 2),
}
"""The place of one of two by words such as "left"."""
CARDINALS: Final = _numbered(
    "one eins uno un um een один 一",
    "two zwei dos deux dois due twee два 二",
    "three drei tres trois três tre drie три 三",
    "four vier cuatro quatre quatro quattro четыре 四",
    "five fünf cinco cinq cinque vijf пять",
    "six sechs seis sei zes шесть",
    "seven sieben siete sept sete sette zeven семь",
    "eight acht ocho huit oito otto восемь",
    "nine neun nueve neuf nove negen девять",
    "ten zehn diez dix dez dieci tien десять",
    "eleven elf once onze undici",
)
"""The place of a choice by words such as "one"."""
LAST: Final = words_of("last letzte dernière última ultima")
SIGNS: Final = frozenset((">>", "<<", *".,;:!?()[]\"'“”\n-–—/=<>|&…*☑☒→。，；：！？、）（」「』『{}"))
"""Signs that may stand around a name."""
MEASURING: Final = words_of("under over above below beyond")
"""What stands before the measure of a case: "A under 5 m"."""
